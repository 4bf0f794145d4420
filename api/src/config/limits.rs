//! `[limits]`

use std::time::Duration;

use serde::Deserialize;
use taquilla_engine::event::ChurnBudget;

/// `[limits]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub(super) hold_churn_free: u32,
    pub(super) hold_churn_max: u32,
    pub(super) hold_churn_decay_seconds: u64,
}

impl Limits {
    /// How many holds one buyer may drop in one event; none if that is off.
    #[must_use]
    pub fn hold_churn(&self) -> Option<ChurnBudget> {
        (self.hold_churn_free > 0).then_some(ChurnBudget {
            free: self.hold_churn_free,
            max: self.hold_churn_max,
            decay: Duration::from_secs(self.hold_churn_decay_seconds),
        })
    }
}
