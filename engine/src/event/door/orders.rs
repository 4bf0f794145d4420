//! Orders at the door: made, given up, confirmed.

use super::Door;
use super::errands::Errand;
use crate::answer::Outcome;
use crate::buyer::BuyerId;
use crate::command::Keyed;
use crate::event::fact::{Fact, Receipt, ReceiptResult};
use crate::hold::HoldStatus;
use crate::id::{AttemptId, HoldId, OrderId};
use crate::order::{Order, OrderStatus, Verdict};
use crate::refusal::Refusal;
use crate::section::SectionAction;

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
    /// he has none undecided.
    pub(super) fn place_order(&mut self, buyer: &BuyerId, keyed: Keyed, id: HoldId, reply: R) {
        let key = Some(self.order_receipt(buyer, &keyed).uuid());
        let Some(hold) = self.book.hold_of(buyer, id) else {
            self.answer(reply, Outcome::Refused(Refusal::NotFound));
            return self.finish(buyer, key);
        };
        let order = Order {
            id: OrderId::of(id),
            hold: id,
            buyer: buyer.clone(),
            status: OrderStatus::Open,
            total: hold.quote.total,
            created_at: self.now,
            verdicts: Vec::new(),
        };
        match hold.status_at(self.now) {
            _ if hold.order.is_some() => self.settle_order(&keyed, order.id, false, vec![], reply),
            _ if let Some(refusal) = self.refuses_orders() => {
                self.answer(reply, Outcome::Refused(refusal));
            }
            HoldStatus::Active if order.total == 0 => {
                let errand = Errand::PlaceFreeOrder { order: Box::new(order), keyed, reply };
                return self.send(id, SectionAction::Convert, errand);
            }
            HoldStatus::Active => {
                let mut facts = Vec::new();
                let made = order.id;
                self.book.order_hold(order, &mut facts);
                self.settle_order(&keyed, made, true, facts, reply);
            }
            ended @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                self.refuse_order(buyer, &keyed, ended, vec![], reply);
            }
        }
        self.finish(buyer, key);
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
        if open {
            let errand = Errand::Confirm { order: id, attempt, reply };
            return self.send(hold, SectionAction::Convert, errand);
        }
        let mut facts = Vec::new();
        self.book.decide_attempt(id, attempt, Verdict::VoidDue, &mut facts);
        self.answer_with(facts, reply, Outcome::Verdict(Verdict::VoidDue));
    }

    /// The key stands for this order from now on.
    pub(super) fn settle_order(
        &mut self,
        keyed: &Keyed,
        id: OrderId,
        created: bool,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        let buyer = self.book.order(id).expect("the order is in the book").buyer.clone();
        let result = ReceiptResult::Order { order: id, created };
        facts.push(self.remember(&buyer, keyed, result));
        let outcome = self.order_outcome(id, created);
        self.answer_with(facts, reply, outcome);
    }

    /// The key stands for this refusal from now on.
    pub(super) fn refuse_order(
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
