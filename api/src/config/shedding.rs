//! `[shedding]`

use std::time::Duration;

use serde::Deserialize;

use crate::shedding::SheddingSettings;

/// `[shedding]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shedding {
    pub(super) enabled: bool,
    pub(super) target_ms: u64,
    pub(super) concurrency_min: usize,
    pub(super) concurrency_max: usize,
}

impl Shedding {
    /// Where the limit may be; none while nothing is shed.
    #[must_use]
    pub fn settings(&self) -> Option<SheddingSettings> {
        self.enabled.then_some(SheddingSettings {
            target: Duration::from_millis(self.target_ms),
            concurrency_min: self.concurrency_min,
            concurrency_max: self.concurrency_max,
        })
    }
}
