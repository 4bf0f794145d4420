//! `[waiting_room]`

use std::time::Duration;

use serde::Deserialize;

/// `[waiting_room]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingRoom {
    /// Buyers that may join one room.
    pub members_max: u32,
    pub(super) grace_seconds: u64,
    pub(super) admission_seconds: u64,
    /// Admissions a second before anything was measured.
    pub rate_start: u32,
    /// Admissions a second that trouble leaves.
    pub rate_floor: u32,
    /// Admissions a second at the most.
    pub rate_ceiling: u32,
    /// Buyers inside at once.
    pub active_max: u32,
    pub(super) commit_max_ms: u64,
    pub(super) decision_max_ms: u64,
}

impl WaitingRoom {
    /// How long whoever is called has to come.
    #[must_use]
    pub fn grace(&self) -> Duration {
        Duration::from_secs(self.grace_seconds)
    }

    /// How long whoever has come may shop.
    #[must_use]
    pub fn admission(&self) -> Duration {
        Duration::from_secs(self.admission_seconds)
    }

    /// Longer commits are trouble.
    #[must_use]
    pub fn commit_max(&self) -> Duration {
        Duration::from_millis(self.commit_max_ms)
    }

    /// Longer waits for a decision are trouble.
    #[must_use]
    pub fn decision_max(&self) -> Duration {
        Duration::from_millis(self.decision_max_ms)
    }
}
