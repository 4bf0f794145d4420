//! What payments measure of themselves, for whoever decides how many are let in. Counts since the start: several
//! may look, each at what has come since his last look.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counters that tasks add to.
#[derive(Debug, Default)]
pub(super) struct PaymentGauge {
    asked: AtomicU64,
    failed: AtomicU64,
    ended: AtomicU64,
    lasted_micros: AtomicU64,
}

/// What payments have come to since the start of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentsMeasured {
    /// Attempts that are being worked on now.
    pub in_work: u32,
    /// Questions that the provider has answered, or not in time.
    pub asked: u64,
    /// Of these, those without a proper answer.
    pub failed: u64,
    /// Attempts that have come to their end.
    pub ended: u64,
    /// How long these took in sum.
    pub lasted: Duration,
}

impl PaymentGauge {
    pub(super) fn answered(&self, properly: bool) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.failed.fetch_add(u64::from(!properly), Ordering::Relaxed);
    }

    pub(super) fn ended(&self, took: Duration) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.lasted_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(super) fn measured(&self, in_work: usize) -> PaymentsMeasured {
        PaymentsMeasured {
            in_work: u32::try_from(in_work).unwrap_or(u32::MAX),
            asked: self.asked.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
            lasted: Duration::from_micros(self.lasted_micros.load(Ordering::Relaxed)),
        }
    }
}
