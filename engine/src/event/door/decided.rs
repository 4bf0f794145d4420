//! What sections decided comes back: it is counted, and its answer goes to the lane.

use super::Door;
use super::errands::{Concluded, Errand};
use super::operators::is_of_terms;
use crate::answer::{Outcome, Unanswered};
use crate::event::fact::Fact;
use crate::event::lane::Part;
use crate::hold::HoldStatus;
use crate::id::HoldId;
use crate::moment::Moment;
use crate::section::{Decided, SectionEvent};

impl<R> Door<R> {
    /// A section has decided.
    ///
    /// # Panics
    /// If the errand is none of this door's: a bug, of which the owner must die.
    pub fn decided(&mut self, now: Moment, decided: Decided) {
        self.tell_time(now);
        self.hear(decided);
        self.operate_next();
        self.sweep_on();
    }

    fn hear(&mut self, decided: Decided) {
        let mut facts = Vec::new();
        self.fold_expiries(&decided, &mut facts);
        let Some(concluded) = self.errands.hear(decided) else { return self.write(facts) };
        let late = concluded.is_late();
        let granted = !late && concluded.is_granted();
        self.settle(&concluded, granted);
        if late {
            self.write(facts);
            return self.too_late(concluded.errand);
        }
        let Concluded { errand, decided_at: at, heard, .. } = concluded;
        match errand {
            Errand::Place { hold, reply, .. } => self.placed(*hold, reply, &heard, granted, facts),
            Errand::Search { search, section, reply } => {
                self.searched(search, section, reply, &heard, facts);
            }
            Errand::PlaceGathered { hold, reply, .. } if granted => self.grant(*hold, reply, facts),
            Errand::PlaceGathered { search, tries, reply, .. } => {
                self.write(facts);
                self.gather_again(search, tries, reply);
            }
            Errand::GiveBack { buyer, hold, part, reply } => {
                self.part_given_back(&buyer, hold, part, granted.then_some(at), facts, reply);
            }
            Errand::Release { buyer, hold, sold, reply } => {
                self.end_if(granted, hold, HoldStatus::Released, at, &mut facts);
                if granted {
                    self.churn.dropped(self.now, &buyer);
                }
                self.released(&buyer, hold, sold, facts, reply);
            }
            Errand::PlaceFreeOrder { order, keyed, reply } => {
                self.end_if(granted, order.hold, HoldStatus::Converted, at, &mut facts);
                self.free_order_decided(*order, &keyed, granted, facts, reply);
            }
            Errand::Confirm { order, hold, attempt, reply } => {
                self.end_if(granted, hold, HoldStatus::Converted, at, &mut facts);
                let verdict = self.judge(order, attempt, granted, &mut facts);
                self.answer_with(facts, reply, Outcome::Verdict(verdict));
            }
            Errand::Extend { hold, attempt, expires_at, reply } => {
                let until = granted.then_some(expires_at);
                self.extended(hold, attempt, until, facts, reply);
            }
            Errand::Return { asked, returning, reply } => {
                let at = granted.then_some(at);
                self.tickets_returned(*asked, returning, at, facts, reply);
            }
            Errand::MakeRoom { buyer } => {
                self.write(facts);
                self.room_made(&buyer);
            }
            Errand::Sweep { hold } => {
                self.sweep.returned(hold);
                self.write(facts);
            }
            Errand::Withdraw { hold } => {
                self.sweep.returned(hold);
                self.end_if(granted, hold, HoldStatus::Released, at, &mut facts);
                self.write(facts);
            }
            Errand::Operate { operation, amendment, reply } => {
                self.operated(*operation, amendment, reply, &heard, facts);
            }
        }
    }

    /// Its caller had gone when a section came to it: nothing was decided, and nothing is taken.
    fn too_late(&mut self, errand: Errand<R>) {
        let (buyer, key, reply) = match errand {
            Errand::Place { hold, reply, .. } | Errand::PlaceGathered { hold, reply, .. } => {
                let key = hold.id.uuid();
                (hold.buyer, Some(key), reply)
            }
            Errand::Search { search, reply, .. } => return self.give_search_up(&search, reply),
            Errand::GiveBack { buyer, reply, .. } | Errand::Release { buyer, reply, .. } => {
                (buyer, None, reply)
            }
            Errand::PlaceFreeOrder { order, keyed, reply } => {
                let key = self.order_receipt(&order.buyer, &keyed).uuid();
                (order.buyer, Some(key), reply)
            }
            Errand::Extend { reply, .. } => return self.turn_away(reply, Unanswered::Overloaded),
            Errand::Return { asked, reply, .. } => {
                let key = asked.refund.uuid();
                (asked.buyer, Some(key), reply)
            }
            Errand::Operate { operation, reply, .. } => {
                if is_of_terms(&operation.change) {
                    self.terms_gate.set_amending(false);
                }
                return self.turn_away(reply, Unanswered::Overloaded);
            }
            Errand::Confirm { .. }
            | Errand::MakeRoom { .. }
            | Errand::Sweep { .. }
            | Errand::Withdraw { .. } => {
                unreachable!("these are decided however late it is")
            }
        };
        self.turn_away(reply, Unanswered::Overloaded);
        self.finish(&buyer, key);
    }

    /// Facts that nobody waits for.
    pub(super) fn write(&mut self, facts: Vec<Fact>) {
        if !facts.is_empty() {
            self.lane.push(Part { facts, answer: None });
        }
    }

    /// A hold ends at the instant of the decision: its time may have come since.
    fn end_if(
        &mut self,
        granted: bool,
        hold: HoldId,
        status: HoldStatus,
        decided_at: Moment,
        facts: &mut Vec<Fact>,
    ) {
        if granted {
            self.book.end(hold, status, decided_at, facts);
        }
    }

    /// A hold that a section found overdue is over as a whole, whatever becomes of the errand. Of a
    /// hold of several sections, the second to find it so brings no news.
    fn fold_expiries(&mut self, decided: &Decided, facts: &mut Vec<Fact>) {
        for event in &decided.decision.events {
            match event {
                SectionEvent::HoldExpired(hold) => {
                    let active = HoldStatus::Active;
                    if let Some(overdue) = self.book.hold(*hold).filter(|it| it.status == active) {
                        // What is called off is nobody's to buy.
                        if !self.terms.sale.cancelled {
                            self.churn.dropped(self.now, &overdue.buyer);
                        }
                        self.book.end(*hold, HoldStatus::Expired, self.now, facts);
                        if !self.errands.ends_whole_holds(decided.errand) {
                            self.expire_elsewhere(*hold, decided.section);
                        }
                    }
                }
                SectionEvent::HoldPlaced { .. }
                | SectionEvent::Offered { .. }
                | SectionEvent::HoldReduced { .. }
                | SectionEvent::HoldReleased(_)
                | SectionEvent::HoldConverted(_)
                | SectionEvent::HoldExtended { .. }
                | SectionEvent::TicketsReturned { .. }
                | SectionEvent::SeatsBlocked(_)
                | SectionEvent::SeatsUnblocked(_)
                | SectionEvent::CapacitySet(_) => {}
            }
        }
    }
}
