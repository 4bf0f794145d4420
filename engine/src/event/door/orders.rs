//! Orders at the door: made, given up, confirmed.

use super::Door;
use super::errands::Errand;
use crate::answer::Outcome;
use crate::buyer::BuyerId;
use crate::command::Keyed;
use crate::event::fact::{Fact, Receipt, ReceiptResult};
use crate::hold::HoldStatus;
use crate::id::{AttemptId, HoldId, OrderId};
use crate::moment::Moment;
use crate::order::{Order, OrderStatus, Verdict};
use crate::refusal::Refusal;
use crate::section::SectionAction;
use crate::waiting_room::admission::Admission;

impl<R> Door<R> {
    pub(super) fn check_cancel(&self, buyer: &BuyerId, order: OrderId) -> Result<HoldId, Refusal> {
        let order = self.book.order(order).filter(|order| order.buyer == *buyer);
        match order.map(|order| (order.status, order.hold)) {
            None => Err(Refusal::NotFound),
            Some((OrderStatus::Confirmed, _)) => Err(Refusal::OrderNotCancellable),
            Some((OrderStatus::Open | OrderStatus::Cancelled | OrderStatus::Expired, hold)) => {
                Ok(hold)
            }
        }
    }

    /// Orders need no section: only their buyer's own commands and the clock could end the hold, and
    /// he has none undecided. The refusals come in order of precedence; an order that is there already is
    /// none.
    pub(super) fn place_order(
        &mut self,
        buyer: &BuyerId,
        keyed: Keyed,
        (id, admission): (HoldId, Option<Admission>),
        by: Moment,
        reply: R,
    ) {
        let key = Some(self.order_receipt(buyer, &keyed).uuid());
        let Some(hold) = self.book.hold_of(buyer, id) else {
            self.answer(reply, Outcome::Refused(Refusal::NotFound));
            return self.finish(buyer, key);
        };
        if hold.order.is_some() {
            self.answer_order(buyer, &keyed, OrderId::of(id), false, Vec::new(), reply);
            return self.finish(buyer, key);
        }
        // One that is over is good for what it opened, and one that is not for whatever is the buyer's.
        let covers = |it: Admission| it.covers(hold.created_at) || it.covers(self.now);
        let admitted = admission.is_some_and(covers);
        let unadmitted = self.terms.sale.waiting_room && !admitted;
        let refusal = self.refuses_orders();
        if let Some(refusal) = refusal.or(unadmitted.then_some(Refusal::AdmissionRequired)) {
            self.answer(reply, Outcome::Refused(refusal));
            return self.finish(buyer, key);
        }
        let order = Order {
            id: OrderId::of(id),
            hold: id,
            buyer: buyer.clone(),
            status: OrderStatus::Open,
            total: hold.quote.total,
            created_at: self.now,
            verdicts: Vec::new(),
            refunds: Vec::new(),
        };
        match hold.status_at(self.now) {
            HoldStatus::Active if order.total == 0 => {
                let errand = Errand::PlaceFreeOrder { order: Box::new(order), keyed, reply };
                return self.send(id, SectionAction::Convert, Some(by), errand);
            }
            HoldStatus::Active => {
                let (mut facts, made) = (Vec::new(), order.id);
                self.book.order_hold(order, &mut facts);
                self.answer_order(buyer, &keyed, made, true, facts, reply);
            }
            ended @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                self.refuse_order(buyer, &keyed, ended, Vec::new(), reply);
            }
        }
        self.finish(buyer, key);
    }

    /// The sections of a hold that costs nothing have said whether its seats are sold.
    pub(super) fn free_order_decided(
        &mut self,
        mut order: Order,
        keyed: &Keyed,
        sold: bool,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        let buyer = order.buyer.clone();
        if sold {
            order.status = OrderStatus::Confirmed;
            let id = order.id;
            self.book.order_hold(order, &mut facts);
            self.answer_order(&buyer, keyed, id, true, facts, reply);
        } else {
            let status = self.book.hold(order.hold).map(|hold| hold.status);
            let ended = status.expect("an order's hold is in the book");
            self.refuse_order(&buyer, keyed, ended, facts, reply);
        }
        let key = self.order_receipt(&buyer, keyed).uuid();
        self.finish(&buyer, Some(key));
    }

    /// An authorised attempt asks for its seats. Asked again, it gets the same word.
    pub(super) fn confirm(&mut self, id: OrderId, attempt: AttemptId, reply: R) {
        let Some(order) = self.book.order(id) else {
            // Ended so long ago that it is forgotten: its seats are not to be had.
            let verdict = Verdict::VoidDue;
            let news = self.receipts.remember_voided(attempt);
            let decided = Fact::AttemptDecided { attempt, order: id, verdict };
            let facts = if news { vec![decided] } else { Vec::new() };
            return self.answer_with(facts, reply, Outcome::Verdict(verdict));
        };
        if let Some(verdict) = order.verdict(attempt) {
            return self.answer(reply, Outcome::Verdict(verdict));
        }
        let (hold, open) = (order.hold, order.status == OrderStatus::Open);
        // Of an event that does not take place nothing is sold, even before its holds have ended.
        if open && !self.terms.sale.cancelled {
            let errand = Errand::Confirm { order: id, hold, attempt, reply };
            return self.send(hold, SectionAction::Convert, None, errand);
        }
        let mut facts = Vec::new();
        self.book.decide_attempt(id, attempt, Verdict::VoidDue, &mut facts);
        self.answer_with(facts, reply, Outcome::Verdict(Verdict::VoidDue));
    }

    /// An attempt that was asked about twice at once keeps the first word.
    pub(super) fn judge(
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

    /// Answers with the order, for which the key stands from now on.
    fn answer_order(
        &mut self,
        buyer: &BuyerId,
        keyed: &Keyed,
        id: OrderId,
        created: bool,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        let result = ReceiptResult::Order { order: id, created };
        facts.push(self.remember(buyer, keyed, result));
        let outcome = self.order_outcome(id, created);
        self.answer_with(facts, reply, outcome);
    }

    /// Answers with the refusal, for which the key stands from now on.
    fn refuse_order(
        &mut self,
        buyer: &BuyerId,
        keyed: &Keyed,
        ended: HoldStatus,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        facts.push(self.remember(buyer, keyed, ReceiptResult::HoldNotActive(ended)));
        self.answer_with(facts, reply, Outcome::Refused(Refusal::HoldNotActive(ended)));
    }

    /// The order with its hold, as they are at this instant.
    pub(super) fn order_outcome(&self, id: OrderId, created: bool) -> Outcome {
        let order = self.book.order(id).expect("the order is in the book");
        let hold = self.book.hold(order.hold).expect("an order's hold is in the book");
        Outcome::Order { order: Box::new(order.clone()), hold: Box::new(self.seen(hold)), created }
    }

    fn remember(&mut self, buyer: &BuyerId, keyed: &Keyed, result: ReceiptResult) -> Fact {
        let id = self.order_receipt(buyer, keyed);
        let receipt = Receipt { id, fingerprint: keyed.fingerprint, result, at: self.now };
        self.receipts.remember_order(receipt.clone());
        Fact::Remembered(receipt)
    }
}
