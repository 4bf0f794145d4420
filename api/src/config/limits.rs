//! `[limits]`

use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;

use crate::limits::Rate;

/// `[limits]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub(super) per_address_per_second: u32,
    pub(super) per_address_burst: u32,
    pub(super) per_account_per_second: u32,
    pub(super) per_account_burst: u32,
    /// How many leading bits of an IPv6 address stand for one caller.
    pub ipv6_prefix: u8,
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
}

fn rate(per_second: u32, burst: u32) -> Option<Rate> {
    let one_each = Duration::from_secs(1).checked_div(per_second)?;
    Some(Rate { burst: NonZeroU32::new(burst)?, one_each })
}
