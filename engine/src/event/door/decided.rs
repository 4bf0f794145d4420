//! What sections decided comes back: it is counted, and its answer goes to the lane.

use super::errands::{Concluded, Errand, Heard};
use super::{Door, RoomWanted};
use crate::answer::Outcome;
use crate::event::fact::Fact;
use crate::event::lane::Part;
use crate::hold::HoldStatus;
use crate::id::{AttemptId, HoldId, OrderId};
use crate::moment::Moment;
use crate::order::{OrderStatus, Verdict};
use crate::section::{Decided, SectionEvent, Settlement};

impl<R> Door<R> {
    /// A section has decided.
    ///
    /// # Panics
    /// If the errand is none of this door's: a bug, of which the owner must die.
    pub fn decided(&mut self, now: Moment, decided: Decided) {
        self.tell_time(now);
        self.hear(decided);
        self.operate_next();
    }

    fn hear(&mut self, decided: Decided) {
        let mut facts = Vec::new();
        self.fold_expiries(&decided, &mut facts);
        let Some(concluded) = self.errands.hear(decided) else { return self.write(facts) };
        let Concluded { id, errand, settlement, decided_at, heard } = concluded;
        let granted = heard.iter().all(|(_, decision)| decision.outcome.is_ok());
        match errand {
            Errand::Place { hold, accept_fewer, reply } => {
                let some = heard.iter().any(|(_, decision)| decision.outcome.is_ok());
                let sure = granted || (accept_fewer && some);
                self.settle_if_prepared(id, settlement, &heard, sure);
                return self.placed(*hold, reply, &heard, sure, facts);
            }
            Errand::Search { search, section, reply } => {
                return self.searched(search, section, reply, &heard, facts);
            }
            Errand::PlaceGathered { hold, search, tries, reply } => {
                self.settle_if_prepared(id, settlement, &heard, granted);
                if granted {
                    return self.grant(*hold, reply, facts);
                }
                self.write(facts);
                return self.gather_again(search, tries, reply);
            }
            Errand::Operate { operation, amendment, reply } => {
                self.settle_if_prepared(id, settlement, &heard, granted);
                return self.operated(*operation, amendment, reply, &heard, facts);
            }
            Errand::GiveBack { .. }
            | Errand::Release { .. }
            | Errand::PlaceFreeOrder { .. }
            | Errand::Confirm { .. }
            | Errand::MakeRoom { .. }
            | Errand::Sweep { .. } => self.settle_if_prepared(id, settlement, &heard, granted),
        }
        self.conclude(errand, granted, decided_at, facts);
    }

    fn conclude(
        &mut self,
        errand: Errand<R>,
        granted: bool,
        decided_at: Moment,
        mut facts: Vec<Fact>,
    ) {
        match errand {
            Errand::Place { .. }
            | Errand::Search { .. }
            | Errand::PlaceGathered { .. }
            | Errand::Operate { .. } => {
                unreachable!("these answers depend on what was heard")
            }
            Errand::GiveBack { buyer, hold, part, reply } => {
                let outcome = if granted {
                    self.reduce(hold, part, decided_at, &mut facts);
                    self.hold_outcome(hold)
                } else {
                    self.not_active(hold)
                };
                self.answer_with(facts, reply, outcome);
                self.finish(&buyer, None);
            }
            Errand::Release { buyer, hold, sold, reply } => {
                self.end_if(granted, hold, HoldStatus::Released, decided_at, &mut facts);
                let outcome = match self.book.hold(hold).map(|hold| hold.status) {
                    Some(HoldStatus::Converted) => Outcome::Refused(sold),
                    Some(HoldStatus::Released | HoldStatus::Expired) => Outcome::Released,
                    Some(HoldStatus::Active) | None => {
                        unreachable!("a release leaves no hold active")
                    }
                };
                self.answer_with(facts, reply, outcome);
                self.finish(&buyer, None);
            }
            Errand::PlaceFreeOrder { mut order, keyed, reply } => {
                self.end_if(granted, order.hold, HoldStatus::Converted, decided_at, &mut facts);
                let buyer = order.buyer.clone();
                if granted {
                    order.status = OrderStatus::Confirmed;
                    let id = order.id;
                    self.book.order_hold(*order, &mut facts);
                    self.settle_order(&keyed, id, true, facts, reply);
                } else {
                    let status = self.book.hold(order.hold).map(|hold| hold.status);
                    let ended = status.expect("an order's hold is in the book");
                    self.refuse_order(&buyer, &keyed, ended, facts, reply);
                }
                let key = self.order_receipt(&buyer, &keyed).uuid();
                self.finish(&buyer, Some(key));
            }
            Errand::Confirm { order, attempt, reply } => {
                let hold = self.book.order(order).map(|order| order.hold);
                if let Some(hold) = hold {
                    self.end_if(granted, hold, HoldStatus::Converted, decided_at, &mut facts);
                }
                let verdict = self.judge(order, attempt, granted, &mut facts);
                self.answer_with(facts, reply, Outcome::Verdict(verdict));
            }
            Errand::MakeRoom { buyer } => {
                self.write(facts);
                let wanted = self.room_wanted.get_mut(&buyer).expect("somebody wants the room");
                wanted.left -= 1;
                if wanted.left == 0
                    && let Some(RoomWanted { request, reply, .. }) = self.room_wanted.remove(&buyer)
                {
                    self.begin(request, reply);
                }
            }
            Errand::Sweep { hold } => {
                self.sweeping.remove(&hold);
                self.write(facts);
            }
        }
    }

    fn settle_if_prepared(
        &mut self,
        id: crate::section::ErrandId,
        settlement: Settlement,
        heard: &Heard,
        granted: bool,
    ) {
        match settlement {
            Settlement::Final => {}
            Settlement::Prepared => self.settle(id, heard, granted),
        }
    }

    /// An attempt that was asked about twice at once keeps the first word.
    fn judge(
        &mut self,
        order: OrderId,
        attempt: AttemptId,
        converted: bool,
        facts: &mut Vec<Fact>,
    ) -> Verdict {
        let said = self.book.order(order).and_then(|order| order.verdict(attempt));
        said.unwrap_or_else(|| {
            let verdict = if converted { Verdict::Confirmed } else { Verdict::VoidDue };
            self.book.decide_attempt(order, attempt, verdict, facts);
            verdict
        })
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
                    if self.book.hold(*hold).is_some_and(|hold| hold.status == active) {
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
                | SectionEvent::SeatsBlocked(_)
                | SectionEvent::SeatsUnblocked(_)
                | SectionEvent::CapacitySet(_) => {}
            }
        }
    }
}
