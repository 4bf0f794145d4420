//! Numbers in queries: text there, bounded here.

use serde::{Deserialize, Deserializer, de};

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
