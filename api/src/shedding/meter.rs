//! What is at work, and how it went since it was asked last. Counters only: every request passes here.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::limit::Window;

/// Each is exact by itself; together they are of about one instant.
#[derive(Debug, Default)]
pub(super) struct Meter {
    at_work: AtomicUsize,
    peak: AtomicUsize,
    deciding: AtomicUsize,
    answered: AtomicU64,
    ended: AtomicU64,
    slow: AtomicU64,
}

impl Meter {
    /// Something begins, unless so many are at work.
    pub(super) fn begin_below(&self, room: usize, is_decision: bool) -> bool {
        let one_more = |at_work| (at_work < room).then_some(at_work + 1);
        let Ok(before) = self.at_work.fetch_update(Relaxed, Relaxed, one_more) else {
            return false;
        };
        self.begun(before + 1, is_decision);
        true
    }

    /// Something goes on that was let in before.
    pub(super) fn begin(&self, is_decision: bool) {
        let before = self.at_work.fetch_add(1, Relaxed);
        self.begun(before + 1, is_decision);
    }

    fn begun(&self, at_work: usize, is_decision: bool) {
        self.peak.fetch_max(at_work, Relaxed);
        self.deciding.fetch_add(usize::from(is_decision), Relaxed);
    }

    /// Something is at work no more.
    pub(super) fn end(&self, is_decision: bool) {
        self.at_work.fetch_sub(1, Relaxed);
        self.deciding.fetch_sub(usize::from(is_decision), Relaxed);
    }

    /// Whoever asked for a decision was answered. That there was none says something only if it came late.
    pub(super) fn answered(&self, decided: bool, was_slow: bool) {
        self.answered.fetch_add(1, Relaxed);
        self.ended.fetch_add(u64::from(decided || was_slow), Relaxed);
        self.slow.fetch_add(u64::from(was_slow), Relaxed);
    }

    /// Ends a window and begins the next.
    pub(super) fn turn(&self, ran_late: bool) -> Window {
        let at_work = self.at_work.load(Relaxed);
        Window {
            at_work,
            peak: self.peak.swap(at_work, Relaxed).max(at_work),
            deciding: self.deciding.load(Relaxed),
            answered: self.answered.swap(0, Relaxed),
            ended: self.ended.swap(0, Relaxed),
            slow: self.slow.swap(0, Relaxed),
            ran_late,
        }
    }
}
