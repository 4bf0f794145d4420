//! Bounds of one event. What happens at each is said where it is kept.

use std::time::Duration;

use super::churn::ChurnBudget;

/// Bounds of one event.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Decisions a batch. Above a few thousand a statement only gets longer, not cheaper.
    pub batch_max: usize,
    /// Keys remembered; each costs some 300 bytes.
    pub keys_max: usize,
    /// How long a key is remembered at least.
    pub keys_kept: Duration,
    /// Holds alive at once; one more is turned away.
    pub open_holds_max: usize,
    /// Requests that wait for the first of their key; one more is told that the key is in use.
    pub joins_max: usize,
    /// Overdue holds whose ends are under way at once; the sweep goes on as they come back.
    pub sweep_max: usize,
    /// Holds that one buyer may drop; none is no end of them.
    pub hold_churn: Option<ChurnBudget>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch_max: 2_000,
            keys_max: 1_000_000,
            keys_kept: Duration::from_secs(24 * 3600),
            open_holds_max: 100_000,
            joins_max: 64,
            sweep_max: 2_000,
            hold_churn: None,
        }
    }
}
