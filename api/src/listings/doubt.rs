//! Listings that may have changed without having been read since: a change whose read failed, whose
//! outcome is unknown, or whose caller has gone. They are read again by whoever looks next.

use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::id::EventNumber;
use tokio::time::Instant;

/// A change that nobody waits for any more has committed by then or never will: a lane gives a batch up
/// after 5 s, and the next owner settles it.
const SETTLES_WITHIN: Duration = Duration::from_secs(15);

/// A listing in doubt is read this often at the most, however many look.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Doubts(papaya::HashMap<EventNumber, Mutex<Doubt>>);

#[derive(Clone, Copy)]
struct Doubt {
    /// A read that begins after this has seen all.
    settled_at: Instant,
    next_look: Instant,
}

/// A change that is under way. Dropped without having been seen, it leaves its event in doubt.
pub struct Change<'a> {
    doubts: &'a Doubts,
    event: EventNumber,
    seen: bool,
}

/// A read of a listing in doubt.
pub(super) struct Look<'a> {
    doubts: &'a Doubts,
    event: EventNumber,
    begun: Instant,
}

impl Doubts {
    pub(super) fn begin(&self, event: EventNumber) -> Change<'_> {
        Change { doubts: self, event, seen: false }
    }

    /// A look, if the event is in doubt and nobody has looked just now.
    pub(super) fn look(&self, event: EventNumber) -> Option<Look<'_>> {
        let begun = Instant::now();
        let doubts = self.0.pin();
        let mut doubt = doubts.get(&event)?.lock();
        if doubt.next_look > begun {
            return None;
        }
        doubt.next_look = begun + BETWEEN_LOOKS;
        Some(Look { doubts: self, event, begun })
    }
}

impl Change<'_> {
    /// The change is decided, and the listing was read after that.
    pub fn seen(mut self) {
        self.seen = true;
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        if !self.seen {
            let now = Instant::now();
            let doubt = Doubt { settled_at: now + SETTLES_WITHIN, next_look: now };
            self.doubts.0.pin().insert(self.event, Mutex::new(doubt));
        }
    }
}

impl Look<'_> {
    /// The listing was read. If nothing can come after that, the doubt is over.
    pub(super) fn seen(self) {
        let is_over = |_: &_, doubt: &Mutex<Doubt>| doubt.lock().settled_at <= self.begun;
        // A doubt of another change, which came meanwhile, stays.
        let _ = self.doubts.0.pin().remove_if(&self.event, is_over);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const EVENT: EventNumber = EventNumber(7);

    #[tokio::test(start_paused = true)]
    async fn a_change_that_begins_while_somebody_looks_is_looked_for_again() {
        let doubts = Doubts::default();
        drop(doubts.begin(EVENT));
        advance(SETTLES_WITHIN).await;
        let look = doubts.look(EVENT).expect("in doubt");
        drop(doubts.begin(EVENT));
        look.seen();
        assert!(doubts.look(EVENT).is_some(), "the look had not seen that one");
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_that_nobody_saw_is_looked_for_until_it_can_no_longer_come() {
        let doubts = Doubts::default();
        doubts.begin(EVENT).seen();
        assert!(doubts.look(EVENT).is_none());
        drop(doubts.begin(EVENT));
        doubts.look(EVENT).expect("in doubt").seen();
        assert!(doubts.look(EVENT).is_none(), "somebody has just looked");
        advance(BETWEEN_LOOKS).await;
        doubts.look(EVENT).expect("it may still come").seen();
        advance(SETTLES_WITHIN).await;
        let _failed = doubts.look(EVENT).expect("a read that fails");
        advance(BETWEEN_LOOKS).await;
        doubts.look(EVENT).expect("settles nothing").seen();
        advance(BETWEEN_LOOKS).await;
        assert!(doubts.look(EVENT).is_none(), "that one has seen all");
    }
}
