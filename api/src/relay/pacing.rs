//! How often sinks are looked after.

use std::time::Duration;

use crate::background::backoff;

/// How often is looked and tried.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    /// Between two looks when nobody rings. A bell that was lost costs this.
    pub look: Duration,
    /// Events that are claimed by one look.
    pub claimed: u16,
    /// Of these, events whose page is read at once.
    pub at_once: usize,
    /// After the first failure; doubled with each, the actual pause is half of it or more.
    pub first_pause: Duration,
    /// No pause is longer.
    pub longest_pause: Duration,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(1),
            claimed: 64,
            at_once: 8,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(10),
        }
    }
}

impl Pacing {
    /// How long to wait after so many failures in a row, the first one being 1.
    pub(super) fn pause_after(&self, failures: u32) -> Duration {
        backoff(self.first_pause, self.longest_pause, failures)
    }
}
