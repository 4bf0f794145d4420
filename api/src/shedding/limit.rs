//! How far the limit moves after each window of time. Pure.
//!
//! Additive increase, multiplicative decrease, as TCP has it (Chiu and Jain 1989), on how many requests are
//! at work instead of how many packets are: what no queue holds, nobody waits behind.

/// One decision in so many may be slow.
const SLOW_ONE_IN: u64 = 20;

/// With so many windows in a row in which decisions were at work and none was answered, they are slow.
const SILENT_WINDOWS: u32 = 2;

/// What was seen within a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// Requests at work at its end.
    pub(super) at_work: usize,
    /// The most that were at work within it.
    pub(super) peak: usize,
    /// Of those at its end, decisions.
    pub(super) deciding: usize,
    /// Decisions asked for that were answered, if only by the word that there is none.
    pub(super) answered: u64,
    /// Decisions that ended.
    pub(super) ended: u64,
    /// Of these, slow ones.
    pub(super) slow: u64,
    /// Whether the process itself ran so late that every answer was slow.
    pub(super) ran_late: bool,
}

/// How many requests may be at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    min: usize,
    max: usize,
    now: usize,
    silent_windows: u32,
}

impl Limit {
    /// At its highest: nothing has been slow yet.
    pub(super) fn new(min: usize, max: usize) -> Self {
        let max = max.max(1);
        Self { min: min.clamp(1, max), max, now: max, silent_windows: 0 }
    }

    pub(super) fn now(&self) -> usize {
        self.now
    }

    /// Shrinks by a tenth after a slow window, from how many there were; grows by its square root after a
    /// good one in which half of it was used, the least that any priority may use. What is not used is not
    /// known to be good, and so few as always may be at work are not slow because of each other.
    pub(super) fn move_after(&mut self, window: &Window) {
        if self.is_slow(window) {
            if window.peak > self.min {
                self.now = (self.now.min(window.peak) * 9 / 10).max(self.min);
            }
        } else if window.peak >= self.now / 2 {
            self.now = (self.now + self.now.isqrt()).min(self.max);
        }
    }

    fn is_slow(&mut self, window: &Window) -> bool {
        let is_silent = window.answered == 0 && window.deciding > 0;
        self.silent_windows = if is_silent { self.silent_windows + 1 } else { 0 };
        window.ran_late
            || window.slow * SLOW_ONE_IN > window.ended
            || self.silent_windows >= SILENT_WINDOWS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(peak: usize) -> Window {
        let (answered, ended) = (2_000, 1_000);
        Window { at_work: peak, peak, deciding: peak, answered, ended, slow: 50, ran_late: false }
    }

    fn slow(peak: usize) -> Window {
        Window { slow: 51, ..good(peak) }
    }

    fn limit_at(now: usize) -> Limit {
        Limit { now, ..Limit::new(100, 10_000) }
    }

    fn after(now: usize, window: &Window) -> usize {
        let mut limit = limit_at(now);
        limit.move_after(window);
        limit.now()
    }

    #[test]
    fn it_begins_at_its_highest_and_grows_while_half_of_it_is_used() {
        assert_eq!(Limit::new(100, 10_000).now(), 10_000);
        assert_eq!(after(400, &good(200)), 420);
        assert_eq!(after(400, &good(199)), 400, "what is not used is not known to be good");
        assert_eq!(after(9_990, &good(9_000)), 10_000, "it ends at its highest");
    }

    #[test]
    fn it_shrinks_from_how_many_there_were_once_one_in_twenty_is_slow() {
        assert_eq!(after(1_000, &slow(1_000)), 900);
        assert_eq!(after(10_000, &slow(1_000)), 900, "what was not used has nothing to do with it");
        assert_eq!(after(1_000, &slow(2_000)), 900, "what cannot be shed is beyond it");
        assert_eq!(after(1_000, &good(400)), 1_000, "one in twenty is not more than that");
    }

    #[test]
    fn it_is_never_below_its_lowest_and_so_few_are_never_too_many() {
        let mut limit = limit_at(1_000);
        for _ in 0..100 {
            limit.move_after(&slow(limit.now()));
        }
        assert_eq!(limit.now(), 100);
        assert_eq!(after(10_000, &slow(100)), 10_000, "a slow one at night costs the day nothing");
        assert_eq!(Limit::new(0, 0).now(), 1, "none at all would never be measured again");
        assert_eq!(Limit::new(5, 2).now(), 2);
    }

    #[test]
    fn it_recovers_once_decisions_are_quick_again() {
        let mut limit = limit_at(100);
        let mut windows = 0;
        while limit.now() < 10_000 {
            limit.move_after(&good(limit.now()));
            windows += 1;
        }
        assert!((170..190).contains(&windows), "{windows}");
    }

    #[test]
    fn decisions_that_never_end_and_a_process_that_runs_late_are_slow() {
        let stuck = Window { answered: 0, ended: 0, slow: 0, ..good(1_000) };
        let mut limit = limit_at(1_000);
        limit.move_after(&stuck);
        assert!(limit.now() >= 1_000, "they may have begun just now");
        limit.move_after(&stuck);
        assert_eq!(limit.now(), 900);
        let paused = Window { answered: 7, ..stuck };
        let mut limit = limit_at(1_000);
        (0..9).for_each(|_| limit.move_after(&paused));
        assert!(limit.now() >= 1_000, "who is told soon that there is no decision does not wait");
        let idle = Window { deciding: 0, ..stuck };
        assert_eq!(after(1_000, &idle), 1_031, "who asks for no decision waits for none");
        assert_eq!(after(1_000, &Window { ran_late: true, ..good(1_000) }), 900);
    }
}
