//! Where `now` comes from. The engine only asks; who reads a real clock lives elsewhere.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::moment::Moment;

/// The database's clock, as well as this process knows it. Callers keep it from running backwards.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Moment;
}

/// A clock that moves when it is told to.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `start`.
    #[must_use]
    pub fn new(start: Moment) -> Self {
        Self(AtomicI64::new(start.0))
    }

    /// Moves the clock on.
    pub fn advance(&self, by: Duration) {
        self.0.store((self.now() + by).0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}
