//! Idempotency keys at the door: results repeated, other requests under the same key refused.

use std::time::Duration;

use uuid::Uuid;

use super::Door;
use crate::answer::Outcome;
use crate::buyer::BuyerId;
use crate::command::{Command, Keyed, Request};
use crate::event::fact::ReceiptResult;
use crate::hold::Fingerprint;
use crate::id::{HoldId, ReceiptId};
use crate::refusal::Refusal;

impl<R> Door<R> {
    /// Answers from what the request's key stands for; gives the request back if that is nothing yet.
    pub(super) fn replay(&mut self, request: Request, reply: R) -> Option<(Request, R)> {
        let outcome = match &request.command {
            Command::PlaceHold { buyer, keyed, .. } => self.replay_hold(buyer, keyed),
            Command::PlaceOrder { buyer, keyed, hold, .. } => {
                self.replay_order(buyer, keyed, *hold)
            }
            Command::ReturnTickets(asked) => self.replay_return(asked),
            Command::ReleaseHold { .. }
            | Command::GiveBack { .. }
            | Command::CancelOrder { .. }
            | Command::ConfirmOrder { .. }
            | Command::ExtendHold { .. }
            | Command::ReadHold { .. }
            | Command::ReadHolds { .. }
            | Command::Operate(_) => None,
        };
        let Some(outcome) = outcome else { return Some((request, reply)) };
        let replayed = match &outcome {
            Outcome::Refused(Refusal::NotFound | Refusal::KeyReused) => false,
            Outcome::Refused(_)
            | Outcome::Hold(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Refunded(_)
            | Outcome::Extension(_)
            | Outcome::Operated(_) => true,
        };
        let part = self.part(Vec::new(), reply, outcome, replayed);
        self.lane.push(part);
        None
    }

    fn replay_hold(&self, buyer: &BuyerId, keyed: &Keyed) -> Option<Outcome> {
        let id = HoldId::derive(self.terms.event, buyer, &keyed.key);
        if let Some(hold) = self.book.hold(id) {
            let outcome = || Outcome::Hold(Box::new(self.seen(hold)));
            return Some(same_request(keyed, &hold.fingerprint, outcome));
        }
        let refused = self.receipts.refused(self.now, id)?;
        let outcome = || Outcome::Refused(refused.refusal.clone());
        Some(same_request(keyed, &refused.fingerprint, outcome))
    }

    fn replay_order(&self, buyer: &BuyerId, keyed: &Keyed, hold: HoldId) -> Option<Outcome> {
        let known = self.book.hold_of(buyer, hold).is_some();
        let receipt = self.receipts.order(self.order_receipt(buyer, keyed));
        // A refusal may be younger than its hold by more than holds are remembered.
        let repeats = receipt.is_some_and(|first| first.fingerprint == keyed.fingerprint);
        if !known && !repeats {
            return Some(Outcome::Refused(Refusal::NotFound));
        }
        let receipt = receipt?;
        let outcome = || match receipt.result {
            ReceiptResult::Order { order, created } => self.order_outcome(order, created),
            ReceiptResult::HoldNotActive(status) => {
                Outcome::Refused(Refusal::HoldNotActive(status))
            }
        };
        Some(same_request(keyed, &receipt.fingerprint, outcome))
    }

    /// A refused hold's key stands for the refusal for a while.
    pub(super) fn refuse_hold(&mut self, command: &Command, refusal: &Refusal) {
        if let Command::PlaceHold { buyer, keyed, .. } = command
            && refusal.uses_key()
        {
            let id = HoldId::derive(self.terms.event, buyer, &keyed.key);
            self.receipts.remember_refused(self.now, id, keyed.fingerprint, refusal.clone());
        }
    }

    /// Holds that are not forgotten, whatever room keys need.
    pub fn keep(&mut self, holds: &[HoldId]) {
        self.book.keep(holds);
    }

    pub(super) fn has_room_for_key(&mut self, key: Option<Uuid>) -> bool {
        if key.is_none() || self.book.len() + self.receipts.len() < self.limits.keys_max {
            return true;
        }
        // Forgetting walks all holds; once a minute is often enough at the bound.
        if self.now.since(self.forgot_at) >= Duration::from_secs(60) {
            self.forgot_at = self.now;
            let instant = self.now - self.limits.keys_kept;
            self.receipts.forget_before(instant);
            let answered = self.receipts.orders();
            self.book.forget_before(instant, |order| answered.contains(&order));
        }
        self.book.len() + self.receipts.len() < self.limits.keys_max
    }

    pub(super) fn key_of(&self, command: &Command) -> Option<Uuid> {
        match command {
            Command::PlaceHold { buyer, keyed, .. } => {
                Some(HoldId::derive(self.terms.event, buyer, &keyed.key).uuid())
            }
            Command::PlaceOrder { buyer, keyed, .. } => {
                Some(self.order_receipt(buyer, keyed).uuid())
            }
            Command::ReturnTickets(asked) => Some(asked.refund.uuid()),
            Command::ReleaseHold { .. }
            | Command::GiveBack { .. }
            | Command::CancelOrder { .. }
            | Command::ConfirmOrder { .. }
            | Command::ExtendHold { .. }
            | Command::ReadHold { .. }
            | Command::ReadHolds { .. }
            | Command::Operate(_) => None,
        }
    }

    pub(super) fn order_receipt(&self, buyer: &BuyerId, keyed: &Keyed) -> ReceiptId {
        ReceiptId::derive(self.terms.event, "orders", buyer, &keyed.key)
    }
}

fn same_request(keyed: &Keyed, first: &Fingerprint, outcome: impl Fn() -> Outcome) -> Outcome {
    if keyed.fingerprint == *first { outcome() } else { Outcome::Refused(Refusal::KeyReused) }
}
