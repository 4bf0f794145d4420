//! `[limits]`

use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;
use taquilla_engine::event::ChurnBudget;

use crate::limits::Rate;

/// `[limits]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub(super) per_address_per_second: u32,
    pub(super) per_address_burst: u32,
    pub(super) per_account_per_second: u32,
    pub(super) per_account_burst: u32,
    pub(super) map_reads_per_second: u32,
    /// How many leading bits of an IPv6 address stand for one caller.
    pub ipv6_prefix: u8,
    pub(super) hold_churn_free: u32,
    pub(super) hold_churn_max: u32,
    pub(super) hold_churn_decay_seconds: u64,
}

impl Limits {
    /// Of one address; none if that is off.
    #[must_use]
    pub fn per_address(&self) -> Option<Rate> {
        rate(self.per_address_per_second, self.per_address_burst)
    }

    /// Of one account; none if that is off.
    #[must_use]
    pub fn per_account(&self) -> Option<Rate> {
        rate(self.per_account_per_second, self.per_account_burst)
    }

    /// Of maps, by all together, as many at once as in a second; none if that is off.
    #[must_use]
    pub fn map_reads(&self) -> Option<Rate> {
        rate(self.map_reads_per_second, self.map_reads_per_second)
    }

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

fn rate(per_second: u32, burst: u32) -> Option<Rate> {
    let one_each = Duration::from_secs(1).checked_div(per_second)?;
    Some(Rate { burst: NonZeroU32::new(burst)?, one_each })
}
