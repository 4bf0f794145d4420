//! One limit on each of many callers, by the generic cell rate algorithm: what is kept of a caller is the
//! instant at which his burst has come back whole.

use std::hash::{BuildHasher, Hash, RandomState};
use std::time::Duration;

use governor::clock::{Clock, MonotonicClock};
use governor::middleware::NoOpMiddleware;
use governor::{Quota, RateLimiter};

use super::callers::Callers;
use super::{Rate, metric};
use crate::problem::TooMany;

/// Counts requests by who makes them.
pub(super) struct Limiter<C: Clock = MonotonicClock> {
    by: &'static str,
    rate: Rate,
    /// Callers are kept by a hash that nobody outside can compute: two that share one, which is no
    /// likelier than one in a million among a million, share a limit.
    hashes: RandomState,
    clock: C,
    counted: RateLimiter<u64, Callers, C, NoOpMiddleware<C::Instant>>,
}

impl Limiter {
    pub(super) fn new(by: &'static str, rate: Rate, callers_max: usize) -> Self {
        Self::with_clock(by, rate, callers_max, MonotonicClock)
    }
}

impl<C: Clock + Clone> Limiter<C> {
    fn with_clock(by: &'static str, rate: Rate, callers_max: usize, clock: C) -> Self {
        // Never none: a rate without bound is none at all, and a nanosecond is next to it.
        let one_each = rate.one_each.max(Duration::from_nanos(1));
        let quota = Quota::with_period(one_each).expect("longer than nothing");
        let quota = quota.allow_burst(rate.burst);
        let counted = RateLimiter::new(quota, Callers::new(by, callers_max), clock.clone());
        Self { by, rate, hashes: RandomState::new(), clock, counted }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// [`TooMany`]; then it is not counted.
    pub(super) fn admit(&self, caller: &impl Hash) -> Result<(), TooMany> {
        let caller = self.hashes.hash_one(caller);
        self.counted.check_key(&caller).map_err(|until| {
            metric::limited(self.by);
            let Rate { burst, one_each } = self.rate;
            // A burst that is used up comes back within the window.
            TooMany {
                by: self.by,
                quota: burst.get(),
                window: one_each.saturating_mul(burst.get()),
                wait: until.wait_time_from(self.clock.now()),
            }
        })
    }

    /// Forgets those whose burst has come back whole.
    pub(super) fn tidy(&self) {
        self.counted.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limiter(burst: u32, millis: u64, callers_max: usize) -> Limiter<FakeRelativeClock> {
        let burst = NonZeroU32::new(burst).expect("some");
        let rate = Rate { burst, one_each: Duration::from_millis(millis) };
        Limiter::with_clock("address", rate, callers_max, FakeRelativeClock::default())
    }

    #[test]
    fn a_burst_is_taken_at_once_and_comes_back_one_by_one() {
        let limiter = limiter(3, 1_500, 10_000);
        for _ in 0..3 {
            assert_eq!(limiter.admit(&"ana"), Ok(()));
        }
        let (window, wait) = (Duration::from_millis(4_500), Duration::from_millis(1_500));
        let told = TooMany { by: "address", quota: 3, window, wait };
        assert_eq!(limiter.admit(&"ana"), Err(told));
        assert_eq!(limiter.admit(&"eva"), Ok(()), "each has a burst of his own");
        limiter.clock.advance(Duration::from_millis(1_499));
        assert_eq!(limiter.admit(&"ana").map_err(|it| it.wait), Err(Duration::from_millis(1)));
        limiter.clock.advance(Duration::from_millis(1));
        assert_eq!(limiter.admit(&"ana"), Ok(()));
        assert!(limiter.admit(&"ana").is_err());
    }

    #[test]
    fn whoever_is_away_for_long_is_forgotten_and_nobody_else() {
        let limiter = limiter(2, 1_000, 10_000);
        for caller in 0..50 {
            assert_eq!(limiter.admit(&caller), Ok(()));
        }
        limiter.clock.advance(Duration::from_secs(1));
        for _ in 0..2 {
            assert_eq!(limiter.admit(&"ana"), Ok(()));
        }
        limiter.tidy();
        assert_eq!(limiter.counted.len(), 51);
        limiter.clock.advance(Duration::from_secs(1));
        limiter.tidy();
        assert_eq!(limiter.counted.len(), 1);
        assert_eq!(limiter.admit(&"ana"), Ok(()));
        assert!(limiter.admit(&"ana").is_err(), "who stays is still counted");
    }

    #[test]
    fn callers_are_bounded_and_one_too_many_is_let_through() {
        let limiter = limiter(1, 1_000, 64);
        for caller in 0..10_000 {
            assert_eq!(limiter.admit(&caller), Ok(()));
        }
        assert_eq!(limiter.counted.len(), 64);
        let limited = (0..10_000).filter(|caller| limiter.admit(caller).is_err()).count();
        assert_eq!(limited, 64, "those who are remembered are limited");
        limiter.clock.advance(Duration::from_secs(5));
        limiter.tidy();
        assert_eq!(limiter.admit(&"ana"), Ok(()));
        assert!(limiter.admit(&"ana").is_err(), "there is room again");
    }
}
