//! What a section decided comes back: it is counted, and its answer goes to the lane.

use super::{Decided, Door, Errand};
use crate::answer::Outcome;
use crate::event::fact::Fact;
use crate::event::lane::Part;
use crate::hold::{Hold, HoldStatus};
use crate::id::{AttemptId, HoldId, OrderId};
use crate::moment::Moment;
use crate::order::{OrderStatus, Verdict};
use crate::section::{Decision, SectionEvent};

impl<R> Door<R> {
    /// A section has decided.
    ///
    /// # Panics
    /// If the errand is none of this door's: a bug, of which the owner must die.
    pub fn decided(&mut self, now: Moment, decided: Decided) {
        self.tell_time(now);
        let errand = self.errands.remove(&decided.errand).expect("a section answers its own door");
        let Decision { events, outcome } = decided.decision;
        let mut facts = Vec::new();
        match errand {
            Errand::Place { hold, reply } => {
                let (buyer, key) = (hold.buyer.clone(), hold.id.uuid());
                let (id, fingerprint) = (hold.id, hold.fingerprint);
                self.fold(&events, Some(*hold), &mut facts);
                let outcome = match outcome {
                    Ok(()) => self.hold_outcome(id),
                    Err(refusal) => {
                        let kept = refusal.clone();
                        self.receipts.remember_refused(self.now, id, fingerprint, kept);
                        Outcome::Refused(refusal)
                    }
                };
                self.answer_with(facts, reply, outcome);
                self.finish(&buyer, Some(key));
            }
            Errand::Release { buyer, hold, sold, reply } => {
                self.fold(&events, None, &mut facts);
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
                self.fold(&events, None, &mut facts);
                let buyer = order.buyer.clone();
                match outcome {
                    Ok(()) => {
                        order.status = OrderStatus::Confirmed;
                        let id = order.id;
                        self.book.order_hold(*order, &mut facts);
                        self.settle_order(&keyed, id, true, facts, reply);
                    }
                    Err(_) => {
                        let status = self.book.hold(order.hold).map(|hold| hold.status);
                        let ended = status.expect("an order's hold is in the book");
                        self.refuse_order(&buyer, &keyed, ended, facts, reply);
                    }
                }
                let key = self.order_receipt(&buyer, &keyed).uuid();
                self.finish(&buyer, Some(key));
            }
            Errand::Confirm { order, attempt, reply } => {
                self.fold(&events, None, &mut facts);
                let verdict = self.judge(order, attempt, outcome.is_ok(), &mut facts);
                self.answer_with(facts, reply, Outcome::Verdict(verdict));
            }
            Errand::MakeRoom { buyer } => {
                self.fold(&events, None, &mut facts);
                self.write(facts);
                let wanted = self.room_wanted.get_mut(&buyer).expect("somebody wants the room");
                wanted.left -= 1;
                if wanted.left == 0
                    && let Some(wanted) = self.room_wanted.remove(&buyer)
                {
                    self.begin(wanted.request, wanted.reply);
                }
            }
            Errand::Sweep { hold } => {
                self.sweeping.remove(&hold);
                self.fold(&events, None, &mut facts);
                self.write(facts);
            }
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

    fn hold_outcome(&self, id: HoldId) -> Outcome {
        let hold = self.book.hold(id).expect("a granted hold is in the book");
        Outcome::Hold(Box::new(self.seen(hold)))
    }

    /// Facts that nobody waits for.
    fn write(&mut self, facts: Vec<Fact>) {
        if !facts.is_empty() {
            self.lane.push(Part { facts, answer: None });
        }
    }

    fn fold(&mut self, events: &[SectionEvent], mut new: Option<Hold>, facts: &mut Vec<Fact>) {
        for event in events {
            match event {
                SectionEvent::HoldPlaced { .. } => {
                    let hold = new.take().expect("a section places the one hold it was asked for");
                    self.book.place(hold, facts);
                }
                SectionEvent::HoldReleased { hold, at } => {
                    self.book.end(*hold, HoldStatus::Released, *at, facts);
                }
                SectionEvent::HoldExpired { hold, at } => {
                    self.book.end(*hold, HoldStatus::Expired, *at, facts);
                }
                SectionEvent::HoldConverted { hold, at } => {
                    self.book.end(*hold, HoldStatus::Converted, *at, facts);
                }
            }
        }
    }
}
