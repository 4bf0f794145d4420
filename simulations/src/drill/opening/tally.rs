//! What is counted while the sale goes on, by everybody at once, and looked at once a second.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Each bucket of latencies ends a fifth beyond the one before: from 0.1 ms to 10 s.
const BUCKETS: usize = 64;
const FIRST_MICROS: f64 = 100.0;
const RATIO: f64 = 1.2;

/// The counters.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) joined: AtomicU32,
    pub(super) admitted: AtomicU32,
    pub(super) holds: AtomicU32,
    pub(super) refusals: AtomicU32,
    /// Seats whose buyers saw them paid.
    pub(super) sold: AtomicU32,
    /// Called, and too late to come.
    pub(super) lost_turns: AtomicU32,
    /// Holds and orders that ended before they were paid.
    pub(super) ran_out: AtomicU32,
    /// Of the waiting room.
    pub(super) queue: Latencies,
    /// Of holds, orders and payments.
    pub(super) sale: Latencies,
}

/// How many answers took how long, since they were looked at last.
#[derive(Debug)]
pub(super) struct Latencies([AtomicU32; BUCKETS]);

impl Default for Latencies {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

impl Latencies {
    pub(super) fn add(&self, took: Duration) {
        let steps = (took.as_secs_f64() * 1e6 / FIRST_MICROS).log(RATIO).ceil().max(0.0);
        add(&self.0[(steps as usize).min(BUCKETS - 1)], 1);
    }

    /// The middle and the 99th percentile in milliseconds; forgets them.
    pub(super) fn take(&self) -> [f64; 2] {
        let counts: Vec<u32> = self.0.iter().map(|it| it.swap(0, Ordering::Relaxed)).collect();
        let total: u32 = counts.iter().sum();
        [50, 99].map(|percent| {
            let mut within = 0;
            for (bucket, count) in (0..).zip(&counts) {
                within += count;
                if within > 0 && u64::from(within) * 100 >= u64::from(total) * percent {
                    return FIRST_MICROS * RATIO.powi(bucket) / 1e3;
                }
            }
            0.0
        })
    }
}

/// So many more.
pub(super) fn add(counter: &AtomicU32, many: u32) {
    counter.fetch_add(many, Ordering::Relaxed);
}

/// How many there are.
pub(super) fn of(counter: &AtomicU32) -> u32 {
    counter.load(Ordering::Relaxed)
}
