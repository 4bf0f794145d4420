//! A sink in memory: what a sink is, without anybody behind it.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use taquilla_engine::later::Later;
use tokio::time::Instant;

use super::{Message, Repeat, Sink, SinkError};

/// Takes everything, unless it is away, and remembers it, each time that it comes.
#[derive(Default)]
pub struct MemorySink {
    taken: Mutex<Vec<Message>>,
    away: AtomicBool,
}

impl MemorySink {
    /// Whether it takes nothing from now on.
    pub fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    /// What it was told, in this order.
    #[must_use]
    pub fn taken(&self) -> Vec<Message> {
        self.taken.lock().clone()
    }
}

impl Sink for MemorySink {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn at_once(&self) -> usize {
        100
    }

    fn publish<'a>(
        &'a self,
        messages: &'a [Message],
        _: Repeat<'a>,
        _: Instant,
    ) -> Later<'a, Result<(), SinkError>> {
        Box::pin(async move {
            if self.away.load(Ordering::SeqCst) {
                return Err(SinkError::away("nobody is there"));
            }
            self.taken.lock().extend_from_slice(messages);
            Ok(())
        })
    }
}
