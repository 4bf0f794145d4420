//! `[reconciliation]`

use std::time::Duration;

use serde::Deserialize;
use taquilla_engine::payment::reconciliation::ReconciliationSettings;

/// `[reconciliation]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reconciliation {
    /// Whether the server makes one every so often.
    pub enabled: bool,
    pub(super) every_minutes: u64,
    /// How many days it looks back.
    pub window_days: u64,
    pub(super) in_flight_seconds: u64,
}

impl Reconciliation {
    /// How often the server makes one; never if that is off.
    #[must_use]
    pub fn every(&self) -> Option<Duration> {
        self.enabled.then(|| Duration::from_secs(self.every_minutes * 60))
    }

    /// What a run looks at.
    #[must_use]
    pub fn run(&self) -> ReconciliationSettings {
        ReconciliationSettings {
            window: Duration::from_secs(self.window_days * 24 * 3_600),
            in_flight: Duration::from_secs(self.in_flight_seconds),
            ..ReconciliationSettings::default()
        }
    }
}
