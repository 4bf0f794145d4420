//! What an event's sale measures of itself, between two looks of whoever decides how many are let in.
//!
//! Counters, and who bought, that everybody adds to and one empties. A look in the middle of an addition misses
//! it by one, and the next one has it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::buyer::BuyerId;

/// Each bucket of durations ends half as far again as the one before: from 64 us to over ten seconds.
const BUCKETS: usize = 32;
const FIRST_MICROS: f64 = 64.0;
const RATIO: f64 = 1.5;

/// Fewer say little of the slowest tenth.
const FEW: u64 = 10;

/// More never buy between two looks, a second apart; of others it is not told that they did.
const BOUGHT_MAX: usize = 65_536;

/// Measurements of an event since they were looked at last.
#[derive(Debug, Default)]
pub(crate) struct EventGauge {
    holds: AtomicU32,
    answered: AtomicU32,
    turned_away: AtomicU32,
    open_holds: AtomicU32,
    /// Whether anybody looks, and is to be told who bought.
    is_followed: AtomicBool,
    bought: Mutex<Vec<BuyerId>>,
    busy_micros: AtomicU64,
    /// Since when a batch has been on its way.
    sent: Mutex<Option<Instant>>,
    commits: Durations,
    waits: Durations,
}

/// How many lasted how long.
#[derive(Debug, Default)]
struct Durations([AtomicU32; BUCKETS]);

/// What was measured since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measured {
    /// Holds that became durable.
    pub(crate) holds: u32,
    /// Holds that are alive.
    pub(crate) open_holds: u32,
    /// Commands that left with an answer, or without one.
    pub(crate) answered: u32,
    /// Commands that were turned away, or not answered in time.
    pub(crate) turned_away: u32,
    /// How long the lane had a batch on its way.
    pub(crate) busy: Duration,
    /// What nine of ten commits did not exceed.
    pub(crate) commit: Duration,
    /// What nine of ten commands did not exceed in their wait for a decision.
    pub(crate) wait: Duration,
}

impl EventGauge {
    pub(crate) fn held(&self) {
        self.holds.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn answered(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn hold_open(&self, how_many: usize) {
        let how_many = u32::try_from(how_many).unwrap_or(u32::MAX);
        self.open_holds.store(how_many, Ordering::Relaxed);
    }

    pub(crate) fn bought(&self, buyer: &BuyerId) {
        if self.is_followed.load(Ordering::Relaxed) {
            let mut bought = self.bought.lock();
            if bought.len() < BOUGHT_MAX {
                bought.push(buyer.clone());
            }
        }
    }

    /// Who has bought since the last time; from the first time on.
    pub(crate) fn take_bought(&self) -> Vec<BuyerId> {
        self.is_followed.store(true, Ordering::Relaxed);
        std::mem::take(&mut *self.bought.lock())
    }

    pub(crate) fn turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn sending(&self) {
        *self.sent.lock() = Some(Instant::now());
    }

    pub(crate) fn committed(&self, took: Duration) {
        *self.sent.lock() = None;
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.busy_micros.fetch_add(micros, Ordering::Relaxed);
        self.commits.add(took);
    }

    pub(crate) fn waited(&self, took: Duration) {
        self.waits.add(took);
    }

    /// Everything since the last time, which is forgotten with it.
    pub(crate) fn take(&self) -> Measured {
        Measured {
            holds: self.holds.swap(0, Ordering::Relaxed),
            open_holds: self.open_holds.load(Ordering::Relaxed),
            answered: self.answered.swap(0, Ordering::Relaxed),
            turned_away: self.turned_away.swap(0, Ordering::Relaxed),
            busy: Duration::from_micros(self.busy_micros.swap(0, Ordering::Relaxed)),
            // A database that stands still has committed nothing, which is no good sign.
            commit: self
                .commits
                .take_90th()
                .max(self.sent.lock().map_or(Duration::ZERO, |at| at.elapsed())),
            wait: self.waits.take_90th(),
        }
    }
}

impl Durations {
    fn add(&self, took: Duration) {
        let steps = (took.as_secs_f64() * 1e6 / FIRST_MICROS).log(RATIO).ceil().max(0.0);
        // Far fewer steps than an `f64` holds; what lasted longer is in the last bucket.
        let bucket = (steps as usize).min(BUCKETS - 1);
        self.0[bucket].fetch_add(1, Ordering::Relaxed);
    }

    /// The end of the bucket that nine of ten do not go beyond; zero if there were none. A second has a few dozen
    /// batches: the 99th percentile of them would be the slowest, and say nothing of the others.
    fn take_90th(&self) -> Duration {
        let counts: [u32; BUCKETS] =
            std::array::from_fn(|bucket| self.0[bucket].swap(0, Ordering::Relaxed));
        let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        // Of a few the tenth part is the slowest alone: half of them have to be slow.
        let tenths = if total < FEW { 5 } else { 9 };
        let mut within = 0;
        for (bucket, count) in (0..).zip(counts) {
            within += u64::from(count);
            if within * 10 >= total * tenths && within > 0 {
                return Duration::from_secs_f64(FIRST_MICROS * RATIO.powi(bucket) / 1e6);
            }
        }
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_look_has_everything_since_the_last_one() {
        let gauge = EventGauge::default();
        assert_eq!(gauge.take(), Measured::default());
        for _ in 0..3 {
            gauge.held();
            gauge.committed(millis(20));
        }
        gauge.turned_away();
        let measured = gauge.take();
        assert_eq!((measured.holds, measured.turned_away, measured.busy), (3, 1, millis(60)));
        assert_eq!(gauge.take(), Measured::default());
    }

    #[test]
    fn the_90th_percentile_is_met_within_half_of_itself() {
        for slow in [0, 1, 10, 11, 50] {
            let gauge = EventGauge::default();
            (0..100 - slow).for_each(|_| gauge.waited(millis(10)));
            (0..slow).for_each(|_| gauge.waited(millis(400)));
            let expected = if slow > 10 { millis(400) } else { millis(10) };
            let found = gauge.take().wait;
            assert!(found >= expected && found <= expected.mul_f64(1.5), "{slow}: {found:?}");
        }
        for (took, expected) in [(0, Duration::ZERO), (1_000_000, Duration::from_secs(10))] {
            let gauge = EventGauge::default();
            gauge.waited(Duration::from_secs(took));
            assert!(gauge.take().wait > expected);
        }
    }

    #[test]
    fn one_slow_commit_among_a_few_says_nothing_and_two_of_three_do() {
        for (slow, says) in [(1, false), (2, true)] {
            let gauge = EventGauge::default();
            (0..3 - slow).for_each(|_| gauge.committed(millis(5)));
            (0..slow).for_each(|_| gauge.committed(millis(500)));
            assert_eq!(gauge.take().commit > millis(100), says, "{slow}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_that_does_not_come_back_is_a_slow_commit_all_the_while() {
        let gauge = EventGauge::default();
        gauge.sending();
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(gauge.take().commit, Duration::from_secs(2));
        gauge.committed(Duration::from_secs(2));
        assert!(gauge.take().commit >= Duration::from_secs(2));
        assert_eq!(gauge.take().commit, Duration::ZERO);
    }

    #[test]
    fn who_bought_is_kept_once_somebody_asks_for_it() {
        let (gauge, buyer) = (EventGauge::default(), BuyerId::parse("ana").expect("a buyer"));
        gauge.bought(&buyer);
        assert!(gauge.take_bought().is_empty(), "nobody had asked");
        gauge.bought(&buyer);
        assert_eq!(gauge.take_bought(), [buyer]);
        assert!(gauge.take_bought().is_empty(), "told once");
    }
}
