//! Sections that break an invariant, kept apart while the others sell: their rows contradict each
//! other, or the database refused what was decided in them. Nothing of theirs is touched, not even by
//! time; whatever would, is told so. A new process looks at the rows afresh.

use std::collections::BTreeMap;

use super::Door;
use crate::buyer::BuyerId;
use crate::command::{Command, Wish};
use crate::event::lane::Unfinished;
use crate::hold::Claim;
use crate::id::SectionIndex;
use crate::operation::EventChange;
use crate::plan::Plan;

/// Sections kept apart, and why each is, in words for operators.
pub type Quarantine = BTreeMap<SectionIndex, String>;

/// Whether a hold of this claim stays as it is because of a section kept apart.
pub(super) fn freezes(quarantine: &Quarantine, claim: &Claim, plan: &Plan) -> bool {
    !quarantine.is_empty()
        && claim.sections(plan).iter().any(|section| quarantine.contains_key(section))
}

impl<R> Door<R> {
    /// The sections that are kept apart, and why.
    #[must_use]
    pub fn quarantine(&self) -> &Quarantine {
        &self.quarantine
    }

    /// Sends the next so many decisions one a batch: one of them was refused among others.
    pub fn go_singly(&mut self, parts: usize) {
        self.lane.go_singly(parts);
    }

    /// Gives up everything decided and not committed, after the database has refused it.
    pub fn give_up(&mut self) -> Unfinished<R> {
        self.lane.give_up()
    }

    /// The sections kept apart that the command would touch, if there are any.
    pub(super) fn quarantined_by(&self, command: &Command) -> Option<Vec<SectionIndex>> {
        if self.quarantine.is_empty() {
            return None;
        }
        let of = |buyer: &BuyerId, hold| self.book.hold_of(buyer, hold).map(|hold| &hold.claim);
        let claim = match command {
            Command::PlaceHold { wish: Wish::Claim { claim, .. }, .. } => Some(claim),
            Command::PlaceHold { wish: Wish::Best { wish, .. }, .. } => {
                let section = wish.section.filter(|it| self.quarantine.contains_key(it));
                return section.map(|section| vec![section]);
            }
            // Another buyer's things are not found, whatever is wrong with their sections.
            Command::ReleaseHold { buyer, hold }
            | Command::GiveBack { buyer, hold, .. }
            | Command::PlaceOrder { buyer, hold, .. } => of(buyer, *hold),
            Command::CancelOrder { buyer, order } => {
                self.book.order(*order).and_then(|order| of(buyer, order.hold))
            }
            Command::ConfirmOrder { order, .. } | Command::ExtendHold { order, .. } => {
                self.book.order(*order).and_then(|order| of(&order.buyer, order.hold))
            }
            Command::ReturnTickets(asked) => {
                self.book.order(asked.order).and_then(|order| of(&asked.buyer, order.hold))
            }
            Command::PlaceHold { wish: Wish::Unknown(_), .. }
            | Command::ReadHold { .. }
            | Command::ReadHolds { .. }
            | Command::Operate(_) => None,
        };
        self.quarantined_of(claim?.sections(&self.terms.plan))
    }

    /// The same of what an operator wants to change.
    pub(super) fn quarantined_by_change(&self, change: &EventChange) -> Option<Vec<SectionIndex>> {
        match change {
            EventChange::Blocks { block, unblock } => {
                let seats = [block.as_slice(), unblock.as_slice()].concat();
                self.quarantined_of(Claim::of_seats(seats).sections(&self.terms.plan))
            }
            EventChange::Terms(patch) => {
                self.quarantined_of(patch.capacities.iter().map(|(section, _)| *section))
            }
            EventChange::Sale(_) => None,
        }
    }

    fn quarantined_of(
        &self,
        sections: impl IntoIterator<Item = SectionIndex>,
    ) -> Option<Vec<SectionIndex>> {
        let apart = sections.into_iter().filter(|it| self.quarantine.contains_key(it));
        let touched: Vec<SectionIndex> = apart.collect();
        (!touched.is_empty()).then_some(touched)
    }

    /// Whether time does not end this hold.
    pub(super) fn is_frozen(&self, claim: &Claim) -> bool {
        freezes(&self.quarantine, claim, &self.terms.plan)
    }
}
