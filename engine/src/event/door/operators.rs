//! What operators do, at the door: seats taken off sale, capacities, the sale stopped and started, new
//! terms.
//!
//! A change of terms waits at its gate ([`super::terms_gate`]) and has a batch of its own: no hold by old
//! terms is ever committed after new ones.

mod terms;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Door;
use super::errands::{Errand, Heard};
use crate::answer::{Outcome, Unanswered};
use crate::command::{Command, Request};
use crate::event::fact::Fact;
use crate::event::terms::Amendment;
use crate::id::{SeatIndex, SectionIndex};
use crate::operation::{EventChange, Listing, Operated, Operation};
use crate::plan::Plan;
use crate::refusal::{Refusal, SalesConflict};
use crate::sale::{Sale, SaleStatus};
use crate::section::{SectionAction, SectionEvent};

impl<R> Door<R> {
    /// Stops all purchases for this reason, or lets them go on. Replays, reads, releases and
    /// confirmations go on in any case.
    pub fn pause_site(&mut self, why: Option<Arc<str>>) {
        self.site_paused = why;
    }

    pub(super) fn check_site(&self) -> Result<(), Refusal> {
        match &self.site_paused {
            None => Ok(()),
            Some(why) => Err(Refusal::PurchasesPaused(Arc::clone(why))),
        }
    }

    /// Why no order is made at present. A sale that has closed is no reason, a pause is.
    pub(super) fn refuses_orders(&self) -> Option<Refusal> {
        let Sale { opens_at, paused, cancelled, .. } = self.terms.sale;
        let status = if cancelled { SaleStatus::Cancelled } else { SaleStatus::Paused };
        let stopped = Refusal::SaleNotOpen { opens_at, status };
        self.check_site().err().or((paused || cancelled).then_some(stopped))
    }

    pub(super) fn submit_operation(&mut self, request: Request, reply: R) {
        let Command::Operate(operation) = request.command else {
            unreachable!("only an operation is submitted here")
        };
        let by = request.deadline;
        if let Some(sections) = self.quarantined_by_change(&operation.change) {
            return self.turn_away(reply, Unanswered::Quarantined(sections));
        }
        match &operation.change {
            EventChange::Blocks { block, unblock } => {
                if let Err(refusal) = self.check_unblock(unblock) {
                    return self.answer(reply, Outcome::Refused(refusal));
                }
                let actions = blocks(&self.terms.plan, block, unblock);
                let amendment = Amendment::default();
                self.ask(actions, Some(by), Errand::Operate { operation, amendment, reply });
            }
            EventChange::Sale(_) | EventChange::Terms(_) => {
                let command = Command::Operate(operation);
                self.terms_gate.queue(Request { command, ..request }, reply);
                self.operate_next();
            }
        }
    }

    pub(super) fn change_terms(&mut self, request: Request, reply: R) {
        if request.deadline < self.now {
            return self.turn_away(reply, Unanswered::Overloaded);
        }
        let Command::Operate(operation) = request.command else {
            unreachable!("only operations wait for their turn")
        };
        let amendment = match &operation.change {
            EventChange::Sale(action) => self
                .act_on_sale(*action)
                .map(|sale| Amendment { sale: Some(sale), ..Amendment::default() }),
            EventChange::Terms(patch) => self.check_terms(patch),
            EventChange::Blocks { .. } => unreachable!("blocks wait for no terms"),
        };
        let amendment = match amendment {
            Ok(amendment) => amendment,
            Err(refusal) => return self.answer(reply, Outcome::Refused(refusal)),
        };
        if amendment.capacities.is_empty() {
            return self.operated(*operation, amendment, reply, &Heard::new(), Vec::new());
        }
        self.terms_gate.set_amending(true);
        let capacities = amendment.capacities.clone();
        let set = |(section, capacity)| (section, SectionAction::SetCapacity(capacity));
        let errand = Errand::Operate { operation, amendment, reply };
        self.ask(capacities.into_iter().map(set), Some(request.deadline), errand);
    }

    /// All that the operation asked of sections is answered.
    pub(super) fn operated(
        &mut self,
        operation: Operation,
        amendment: Amendment,
        reply: R,
        heard: &Heard,
        mut facts: Vec<Fact>,
    ) {
        let Operation { deed, change } = operation;
        let alone = is_of_terms(&change);
        if alone {
            self.terms_gate.set_amending(false);
        }
        if let Some(conflict) = conflict(&change, heard) {
            return self.answer_with(facts, reply, Outcome::Refused(conflict));
        }
        for event in heard.iter().flat_map(|(_, decision)| &decision.events) {
            match event {
                SectionEvent::SeatsBlocked(seats) => {
                    self.book.stock_mut().block(seats, self.now, &mut facts);
                }
                SectionEvent::SeatsUnblocked(seats) => {
                    self.book.stock_mut().unblock(seats, self.now, &mut facts);
                }
                SectionEvent::HoldPlaced { .. }
                | SectionEvent::Offered { .. }
                | SectionEvent::HoldReduced { .. }
                | SectionEvent::HoldReleased(_)
                | SectionEvent::HoldExpired(_)
                | SectionEvent::HoldConverted(_)
                | SectionEvent::HoldExtended { .. }
                | SectionEvent::TicketsReturned { .. }
                | SectionEvent::CapacitySet(_) => {}
            }
        }
        match change {
            EventChange::Blocks { .. } => {}
            EventChange::Sale(_) => self.adopt(amendment, Listing::default(), &mut facts),
            EventChange::Terms(patch) => self.adopt(amendment, patch.listing, &mut facts),
        }
        facts.push(Fact::Operated { deed, at: self.now });
        let outcome = Outcome::Operated(Operated { blocked: self.book.stock().blocked() });
        let part = self.part(facts, reply, outcome, false);
        if alone {
            self.lane.push_alone(part)
        } else {
            self.lane.push(part)
        }
        if self.terms.sale.cancelled {
            self.sweep();
        }
    }

    /// New terms are the event's from now on.
    fn adopt(&mut self, amendment: Amendment, listing: Listing, facts: &mut Vec<Fact>) {
        let at = self.now;
        for (section, becomes) in &amendment.capacities {
            let (section, was) = (*section, self.terms.plan.section(*section).capacity());
            facts.push(Fact::CapacitySet { section, was, becomes: *becomes, at });
        }
        self.terms = self.terms.amended(&amendment);
        let amendment = Box::new(Amendment { capacities: Vec::new(), ..amendment });
        facts.push(Fact::TermsAmended { amendment, listing: Box::new(listing), at });
    }
}

/// What each section has to do, in the order of sections. Asked for nothing, the first has to do that.
fn blocks(
    plan: &Plan,
    block: &[SeatIndex],
    unblock: &[SeatIndex],
) -> impl ExactSizeIterator<Item = (SectionIndex, SectionAction)> + use<> {
    let mut sections: BTreeMap<SectionIndex, (Vec<SeatIndex>, Vec<SeatIndex>)> = BTreeMap::new();
    for seat in block {
        sections.entry(plan.seat(*seat).section).or_default().0.push(*seat);
    }
    for seat in unblock {
        sections.entry(plan.seat(*seat).section).or_default().1.push(*seat);
    }
    assert!(!sections.is_empty(), "the edge asks for at least one seat");
    let action = |(section, (block, unblock))| (section, SectionAction::Blocks { block, unblock });
    sections.into_iter().map(action)
}

/// Whether the change waits at the gate of terms.
pub(super) fn is_of_terms(change: &EventChange) -> bool {
    match change {
        EventChange::Blocks { .. } => false,
        EventChange::Sale(_) | EventChange::Terms(_) => true,
    }
}

/// Everything that sections found in the way.
fn conflict(change: &EventChange, heard: &Heard) -> Option<Refusal> {
    let mut all: Option<SalesConflict> = None;
    for (_, decision) in heard {
        if let Some(Refusal::ConflictsWithSales(conflict)) = decision.refusal() {
            let all = all.get_or_insert_default();
            all.sold = all.sold.saturating_add(conflict.sold);
            all.held = all.held.saturating_add(conflict.held);
            all.asked = all.asked.saturating_add(conflict.asked);
            all.seats.extend(&conflict.seats);
            all.sections.extend(&conflict.sections);
        }
    }
    let mut all = all?;
    if let EventChange::Blocks { block, .. } = change {
        all.asked = u32::try_from(block.len()).expect("a plan's seats fit");
    }
    all.seats.sort_unstable();
    all.sections.sort_unstable_by_key(|conflict| conflict.section);
    Some(Refusal::ConflictsWithSales(Box::new(all)))
}
