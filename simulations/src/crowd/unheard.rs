//! A batch that was written and whose owner died: its answers never left, so nobody can say what they
//! were. Each fact in it answers a question that was open; what left no fact was decided for nobody.

use std::collections::BTreeMap;

use taquilla_auditor::oracle::{Asked, Claim, HoldName, Question, Refusal, Reply, Told};
use taquilla_engine::event::{Batch, Fact, Receipt, ReceiptResult, Snapshot};
use taquilla_engine::hold::{Hold, HoldStatus};
use taquilla_engine::id::{HoldId, SeatIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::section::SeatState;

use super::operations;
use super::words::{self, Names};

/// Looks for the questions that a batch answers.
pub(super) struct Unheard<'a> {
    pub(super) batch: &'a Batch,
    /// What was asked and not answered; what the batch answers is taken out.
    pub(super) open: &'a mut BTreeMap<usize, Question>,
    pub(super) names: &'a Names,
    /// The rows after the batch.
    pub(super) rows: &'a Snapshot,
    /// How many seats are blocked after what has been gone through.
    blocked: u32,
}

impl<'a> Unheard<'a> {
    pub(super) fn new(
        batch: &'a Batch,
        open: &'a mut BTreeMap<usize, Question>,
        names: &'a Names,
        rows: &'a Snapshot,
    ) -> Self {
        let is_blocked = |(_, state): &&(SeatIndex, SeatState)| *state == SeatState::Blocked;
        let after = rows.seats.iter().filter(is_blocked).count();
        let moved = |fact: &Fact| match fact {
            Fact::SeatsBlocked { seats, .. } => (seats.len(), 0),
            Fact::SeatsUnblocked { seats, .. } => (0, seats.len()),
            Fact::Seat { .. }
            | Fact::Places { .. }
            | Fact::Buyer { .. }
            | Fact::HoldPlaced(_)
            | Fact::HoldReduced { .. }
            | Fact::HoldEnded { .. }
            | Fact::OrderPlaced(_)
            | Fact::OrderEnded { .. }
            | Fact::TicketIssued(_)
            | Fact::AttemptDecided { .. }
            | Fact::TicketsReturned { .. }
            | Fact::HoldExtended { .. }
            | Fact::Remembered(_)
            | Fact::CapacitySet { .. }
            | Fact::TermsAmended { .. }
            | Fact::Operated { .. } => (0, 0),
        };
        let (blocked, unblocked) = batch
            .history
            .iter()
            .map(moved)
            .fold((0, 0), |(sum, other), (more, less)| (sum + more, other + less));
        let before = (after + unblocked).saturating_sub(blocked);
        let blocked = u32::try_from(before).expect("a hall is small");
        Self { batch, open, names, rows, blocked }
    }

    /// The answers, in the order in which they were decided.
    pub(super) fn answers(mut self) -> Vec<(Question, Reply)> {
        let (batch, mut answers) = (self.batch, Vec::new());
        for fact in &batch.history {
            answers.extend(self.answer_of(fact));
        }
        for receipt in &batch.receipts {
            answers.extend(self.answer_of_receipt(receipt));
        }
        answers
    }

    fn answer_of(&mut self, fact: &Fact) -> Option<(Question, Reply)> {
        match fact {
            Fact::HoldPlaced(hold) => {
                let name = self.names.hold(hold.id);
                let asked =
                    move |it: &Asked| matches!(it, Asked::Place { key, .. } if *key == name.key);
                Some(self.tell(self.hold_told(hold), name, asked))
            }
            Fact::HoldReduced { hold, part, .. } => {
                let name = self.names.hold(hold.id);
                let asked = |it: &Asked| {
                    part_of(it, name).is_some_and(|asked| words::claimed(asked) == *part)
                };
                Some(self.tell(self.hold_told(hold), name, asked))
            }
            Fact::HoldEnded { hold, status: HoldStatus::Released, .. } => {
                Some(self.released(*hold))
            }
            Fact::OrderPlaced(order) => Some(self.ordered(order)),
            Fact::AttemptDecided { attempt, order, verdict } => {
                let (attempt, order_of) = (self.names.attempt(*attempt), self.names.order(*order));
                let told = Told::Verdict(*verdict == Verdict::Confirmed);
                let asked = Asked::Confirm { order_of, attempt };
                Some(self.tell(told, order_of, |it| *it == asked))
            }
            Fact::SeatsBlocked { seats, .. } => {
                self.blocked += u32::try_from(seats.len()).expect("a hall is small");
                None
            }
            Fact::SeatsUnblocked { seats, .. } => {
                self.blocked -= u32::try_from(seats.len()).expect("a hall is small");
                None
            }
            Fact::TicketsReturned { refund, .. } => {
                let (told, of_key) =
                    (self.names.refund_shown(refund), self.names.refund(refund.id));
                let asked = |it: &Question| match &it.asked {
                    Asked::Refund(asked) => asked.key == of_key,
                    Asked::Place { .. }
                    | Asked::Release { .. }
                    | Asked::GiveBack { .. }
                    | Asked::Order { .. }
                    | Asked::Cancel { .. }
                    | Asked::Confirm { .. }
                    | Asked::Read { .. }
                    | Asked::List
                    | Asked::Operate { .. } => false,
                };
                Some(self.take(Told::Refunded(told), asked))
            }
            Fact::Operated { deed, at } => Some(self.operated(deed, *at)),
            Fact::HoldEnded { .. }
            | Fact::HoldExtended { .. }
            | Fact::OrderEnded { .. }
            | Fact::TicketIssued(_)
            | Fact::Seat { .. }
            | Fact::Places { .. }
            | Fact::Buyer { .. }
            | Fact::Remembered(_)
            | Fact::CapacitySet { .. }
            | Fact::TermsAmended { .. } => None,
        }
    }

    /// New terms have a batch of their own, and count from the very instant that it says.
    fn operated(&mut self, deed: &Deed, at: Moment) -> (Question, Reply) {
        let number = operations::number(deed);
        let asked = |it: &Question| match it.asked {
            Asked::Operate { deed, .. } => deed == number,
            Asked::Place { .. }
            | Asked::Release { .. }
            | Asked::GiveBack { .. }
            | Asked::Order { .. }
            | Asked::Cancel { .. }
            | Asked::Confirm { .. }
            | Asked::Read { .. }
            | Asked::List
            | Asked::Refund(_) => false,
        };
        let (question, reply) = self.take(Told::Operated(self.blocked), asked);
        let as_of = if self.batch.terms.is_some() { at.0 } else { reply.as_of };
        (question, Reply { as_of, ..reply })
    }

    /// Whoever asked first gave it back: as a whole, or all of it as a part.
    fn released(&mut self, id: HoldId) -> (Question, Reply) {
        let (name, row) = (self.names.hold(id), self.row(id));
        let all = row.claim.quantity();
        let gives_all = |it: &Asked| part_of(it, name).is_some_and(|part| part.quantity() == all);
        let ends = |it: &Asked| match it {
            Asked::Release { hold } | Asked::Cancel { order_of: hold } => *hold == name,
            Asked::GiveBack { .. }
            | Asked::Place { .. }
            | Asked::Order { .. }
            | Asked::Confirm { .. }
            | Asked::Read { .. }
            | Asked::List
            | Asked::Refund(_)
            | Asked::Operate { .. } => gives_all(it),
        };
        let mut asked = self.open.values().filter(|it| it.buyer == name.buyer && ends(&it.asked));
        let told = match asked.next() {
            Some(first) if gives_all(&first.asked) => {
                Told::Hold(Box::new(self.names.shown(&row, false)))
            }
            Some(_) | None => Told::Released,
        };
        self.tell(told, name, ends)
    }

    fn ordered(&mut self, order: &Order) -> (Question, Reply) {
        let mut hold = self.row(order.hold);
        hold.status = match order.status {
            OrderStatus::Confirmed => HoldStatus::Converted,
            OrderStatus::Open | OrderStatus::Cancelled | OrderStatus::Expired => HoldStatus::Active,
        };
        let result = ReceiptResult::Order { order: order.id, created: true };
        let receipt = self.batch.receipts.iter().find(|receipt| receipt.result == result);
        let receipt = receipt.expect("who made the order has a receipt");
        self.tell_order(receipt, order, &hold, true)
    }

    fn answer_of_receipt(&mut self, receipt: &Receipt) -> Option<(Question, Reply)> {
        match receipt.result {
            ReceiptResult::Order { created: true, .. } => None,
            ReceiptResult::Order { order, created: false } => {
                let order = self.rows.orders.iter().find(|it| it.id == order);
                let order = order.expect("a receipt's order has a row");
                Some(self.tell_order(receipt, order, &self.row(order.hold), false))
            }
            ReceiptResult::HoldNotActive(status) => {
                let told = Told::Refused(Refusal::HoldNotActive(words::state(status)));
                Some(self.tell_by_receipt(told, receipt))
            }
        }
    }

    fn tell_order(
        &mut self,
        receipt: &Receipt,
        order: &Order,
        hold: &Hold,
        created: bool,
    ) -> (Question, Reply) {
        let hold = words::seen(hold, self.batch.now);
        let told = Told::Order(Box::new(self.names.order_shown(order, &hold, created)));
        self.tell_by_receipt(told, receipt)
    }

    fn tell_by_receipt(&mut self, told: Told, receipt: &Receipt) -> (Question, Reply) {
        let (buyer, of_key) = self.names.receipt(receipt.id);
        self.take(told, |it| match it.asked {
            Asked::Order { key, .. } => (it.buyer, key) == (buyer, of_key),
            Asked::Place { .. }
            | Asked::Release { .. }
            | Asked::GiveBack { .. }
            | Asked::Cancel { .. }
            | Asked::Confirm { .. }
            | Asked::Read { .. }
            | Asked::List
            | Asked::Refund(_)
            | Asked::Operate { .. } => false,
        })
    }

    fn hold_told(&self, hold: &Hold) -> Told {
        Told::Hold(Box::new(self.names.shown(&words::seen(hold, self.batch.now), false)))
    }

    fn row(&self, id: HoldId) -> Hold {
        let row = self.rows.holds.iter().find(|hold| hold.id == id);
        row.expect("what a batch speaks of has a row").clone()
    }

    fn tell(
        &mut self,
        told: Told,
        name: HoldName,
        asked: impl Fn(&Asked) -> bool,
    ) -> (Question, Reply) {
        self.take(told, |it| it.buyer == name.buyer && asked(&it.asked))
    }

    /// The first open question that may be meant.
    fn take(&mut self, told: Told, is_it: impl Fn(&Question) -> bool) -> (Question, Reply) {
        let found = self.open.iter().find(|(_, question)| is_it(question)).map(|(id, _)| *id);
        let question = found.and_then(|id| self.open.remove(&id));
        let question = question.unwrap_or_else(|| panic!("nobody asked for {told:?}"));
        (question, Reply { told, replayed: false, as_of: self.batch.now.0 })
    }
}

/// The part of this hold that is asked to be given back.
fn part_of(asked: &Asked, name: HoldName) -> Option<&Claim> {
    match asked {
        Asked::GiveBack { hold, part: Ok(part) } => (*hold == name).then_some(part),
        Asked::GiveBack { part: Err(_), .. }
        | Asked::Place { .. }
        | Asked::Release { .. }
        | Asked::Order { .. }
        | Asked::Cancel { .. }
        | Asked::Confirm { .. }
        | Asked::Read { .. }
        | Asked::List
        | Asked::Refund(_)
        | Asked::Operate { .. } => None,
    }
}
