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
    pub(super) fn returned(&mut self, hold: HoldId) {
        self.sent.remove(&hold);
    }
}

impl<R> Door<R> {
    /// Ends what is overdue, as far as the bound allows.
    pub(super) fn sweep(&mut self) {
        let room = self.limits.sweep_max.saturating_sub(self.sweep.sent.len());
        let new = |hold: &HoldId| !self.sweep.sent.contains(hold);
        let overdue: Vec<HoldId> = self.book.overdue(self.now).filter(new).take(room).collect();
        self.sweep.more = overdue.len() == room;
        for hold in overdue {
            self.sweep.sent.insert(hold);
            self.expire(hold, Errand::Sweep { hold });
        }
        if self.terms.sale.cancelled {
            self.withdraw();
        }
    }

    /// Of a cancelled event all holds end, however long they would have lived.
    fn withdraw(&mut self) {
        let room = self.limits.sweep_max.saturating_sub(self.sweep.sent.len());
        let new = |hold: &HoldId| !self.sweep.sent.contains(hold);
        let living: Vec<HoldId> = self.book.ending(self.now).filter(new).take(room).collect();
        self.sweep.more |= living.len() == room;
        for hold in living {
            self.sweep.sent.insert(hold);
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
