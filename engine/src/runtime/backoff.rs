//! Pauses between tries: each twice the one before it, up to a bound. Whoever waits spreads them himself,
//! by something that is his own, so that not all come at once.

use std::time::Duration;

/// The pause before the next try, after so many (0-based) that came to nothing.
pub(super) fn doubled(first: Duration, tries: u32, max: Duration) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(tries)).min(max)
}
