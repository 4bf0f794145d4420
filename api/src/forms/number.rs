//! Numbers of forms and queries, bounded from both sides.

use serde::{Deserialize, Deserializer, de};

use crate::plans::limits::PLACES_MAX;
use crate::strict::FormErrors;

/// Places of one section that can be asked for or given back: as many as a plan's section may have.
pub type Quantity = Whole<1, { PLACES_MAX as u64 }>;

/// Notes a number of seats or places that nobody can have.
pub fn check_quantity(errors: &mut FormErrors, pointer: &str, quantity: u32) {
    let fits = (1..=PLACES_MAX).contains(&quantity);
    errors.require(fits, pointer, &format!("a whole number from 1 to {PLACES_MAX}"));
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const MIN: u64, const MAX: u64>(pub u64);

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| digits && (MIN..=MAX).contains(number));
        number.map(Self).ok_or_else(|| {
            de::Error::custom(format_args!("expected a whole number from {MIN} to {MAX}"))
        })
    }
}

/// How many items a page has.
pub type Limit = Whole<1, 100>;

/// How many a page has unless said.
pub const LIMIT: u16 = 20;

/// The page's size.
#[must_use]
pub fn page_size(limit: Option<Limit>) -> u16 {
    limit.map_or(LIMIT, |limit| u16::try_from(limit.0).expect("a limit is 100 at most"))
}
