//! How often sinks are looked after.

use std::time::Duration;

use crate::background::jittered;

/// How often is looked and tried.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    /// Between two looks when nobody rings. A bell that was lost costs this.
    pub look: Duration,
    /// Events that are read at once, a page each.
    pub at_once: u16,
    /// After the first failure; doubled with each, the actual pause is half of it or more.
    pub first_pause: Duration,
    /// No pause is longer.
    pub longest_pause: Duration,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(1),
            at_once: 8,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(10),
        }
    }
}

impl Pacing {
    /// How long to wait after so many failures in a row, the first one being 1.
    pub(super) fn pause_after(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(20);
        jittered(self.first_pause.saturating_mul(1 << doublings).min(self.longest_pause))
    }
}
