//! Overdue holds are ended without anybody asking: for the map, for counts, and so that nobody else has to
//! end them. As many as the bound allows are under way at once, and the sweep goes on as they come back,
//! but never so far ahead of the journal that a buyer's answer stands behind more than a batch of them.

use std::collections::HashSet;

use super::Door;
use super::errands::Errand;
use crate::id::HoldId;
use crate::section::SectionAction;

/// The sweep under way.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    sent: HashSet<HoldId>,
    /// The bound stopped it: more may be due.
    more: bool,
}

impl Sweep {
    /// Those that are not sent for yet, as far as the bound allows; they are, from now on.
    fn pick(&mut self, ended: impl Iterator<Item = HoldId>, max: usize) -> Vec<HoldId> {
        let room = max.saturating_sub(self.sent.len());
        let picked: Vec<_> = ended.filter(|hold| !self.sent.contains(hold)).take(room).collect();
        self.more |= picked.len() == room;
        self.sent.extend(&picked);
        picked
    }

    pub(super) fn returned(&mut self, hold: HoldId) {
        self.sent.remove(&hold);
    }
}

impl<R> Door<R> {
    /// Ends what is overdue, as far as the bound allows.
    pub(super) fn sweep(&mut self) {
        self.sweep.more = false;
        for hold in self.sweep.pick(self.book.overdue(self.now), self.limits.sweep_max) {
            self.expire(hold, Errand::Sweep { hold });
        }
        if self.terms.sale.cancelled {
            self.withdraw();
        }
    }

    /// Of a cancelled event all holds end, however long they would have lived.
    fn withdraw(&mut self) {
        for hold in self.sweep.pick(self.book.ending(self.now), self.limits.sweep_max) {
            self.send(hold, SectionAction::Release, None, Errand::Withdraw { hold });
        }
    }

    /// Goes on where the bound stopped the sweep, once half of it has come back: whoever looked each time
    /// would walk over all the others that are under way.
    pub(super) fn sweep_on(&mut self) {
        let has_room = self.sweep.sent.len() <= self.limits.sweep_max / 2;
        if self.sweep.more && has_room && self.lane.gathered() < self.limits.batch_max {
            self.sweep();
        }
    }
}
