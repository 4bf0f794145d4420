//! The reference chronicle: a list in memory, for simulated time and tests. It grows as long as its
//! process lives.

use parking_lot::Mutex;

use super::{Chronicle, ChronicleUnavailable, Refused};
use crate::id::EventNumber;
use crate::later::Later;

/// Refusals in the order in which they were written.
#[derive(Debug, Default)]
pub struct MemoryChronicle(Mutex<Vec<(EventNumber, Refused)>>);

impl MemoryChronicle {
    /// What was refused of this event, in order.
    #[must_use]
    pub fn of(&self, event: EventNumber) -> Vec<Refused> {
        let all = self.0.lock();
        all.iter().filter(|(of, _)| *of == event).map(|(_, refused)| refused.clone()).collect()
    }
}

impl Chronicle for MemoryChronicle {
    fn write<'a>(
        &'a self,
        event: EventNumber,
        refused: &'a [Refused],
    ) -> Later<'a, Result<(), ChronicleUnavailable>> {
        Box::pin(async move {
            self.0.lock().extend(refused.iter().map(|refused| (event, refused.clone())));
            Ok(())
        })
    }
}
