//! Capture, void, refund and chargeback.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Decision, Fault, Ledger, Movement};
use crate::simulated_provider::authorisation::{Authorisation, Status};
use crate::simulated_provider::entry::{Asked, Entry, EntryKind, Line};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::money::Amount;
use crate::simulated_provider::payment_method::Captures;
use crate::simulated_provider::refusal::Refusal;

impl Ledger {
    pub(super) fn decide_move(
        &self,
        key: IdempotencyKey,
        reference: Uuid,
        movement: Movement,
        fault: Option<Fault>,
        now: DateTime<Utc>,
    ) -> Result<Decision, Refusal> {
        let authorisation = self.by_reference(reference).ok_or(Refusal::NotFound)?;
        let asked = Asked::Move { reference, movement };
        if let Some(used) = self.uses.get(&key) {
            return match () {
                () if used.asked != asked => Err(Refusal::KeyReused),
                () if used.errored => Err(Refusal::SimulatedError),
                () => Ok(Decision::Replay(authorisation.clone())),
            };
        }
        let is_full = self.is_full();
        let errored = fault == Some(Fault::AfterTheWork);
        let fails = |asked| Line::Errored { idempotency_key: key.clone(), asked, at: now };
        if let Some(refund) = self.refund_before(movement) {
            return match () {
                () if refund != (reference, movement) => Err(Refusal::RefundReused),
                () if is_full => Err(Refusal::BooksFull),
                () if fault == Some(Fault::BeforeTheWork) => {
                    Ok(Decision::Book(fails(asked), reference))
                }
                () => Ok(Decision::Book(
                    Line::Again { idempotency_key: key, asked, at: now, errored },
                    reference,
                )),
            };
        }
        authorisation
            .allows(movement, now)
            .map_err(|conflict| Refusal::ByState(conflict, Box::new(authorisation.clone())))?;
        let may_grow = matches!(movement, Movement::Refund { .. } | Movement::Chargeback { .. });
        if may_grow && is_full {
            return Err(Refusal::BooksFull);
        }
        // Full books keep no errors either: each would be one more key.
        let scripted = movement == Movement::Capture && authorisation.capture_fails();
        if !is_full && (fault == Some(Fault::BeforeTheWork) || scripted) {
            return Ok(Decision::Book(fails(asked), reference));
        }
        Ok(Decision::Book(authorisation.moved(key, movement, errored, now), reference))
    }

    fn refund_before(&self, movement: Movement) -> Option<(Uuid, Movement)> {
        match movement {
            Movement::Refund { refund_id, .. } => self.refunds.get(&refund_id).copied(),
            Movement::Capture | Movement::Void | Movement::Chargeback { .. } => None,
        }
    }
}

impl Authorisation {
    /// An entry about it.
    pub(super) fn entry(
        &self,
        kind: EntryKind,
        key: IdempotencyKey,
        amount: Amount,
        at: DateTime<Utc>,
    ) -> Entry {
        Entry {
            kind,
            reference: self.reference,
            idempotency_key: key,
            order_id: self.order_id,
            attempt_id: self.attempt_id,
            amount,
            currency: self.currency,
            at,
        }
    }

    fn moved(
        &self,
        key: IdempotencyKey,
        movement: Movement,
        errored: bool,
        now: DateTime<Utc>,
    ) -> Line {
        let (kind, amount, refund_id) = match movement {
            Movement::Capture => (EntryKind::Capture, self.amount, None),
            Movement::Void if self.status == Status::RequiresAction => {
                (EntryKind::Withdrawal, self.amount, None)
            }
            Movement::Void => (EntryKind::Void, self.amount, None),
            Movement::Refund { amount, refund_id } => (EntryKind::Refund, amount, Some(refund_id)),
            Movement::Chargeback { amount } => (EntryKind::Chargeback, amount, None),
        };
        Line::Moved { entry: self.entry(kind, key, amount, now), refund_id, errored }
    }

    /// Whether its method lets the next capture end in an error.
    fn capture_fails(&self) -> bool {
        match self.payment_method.script().captures {
            Captures::Done | Captures::Refused => false,
            Captures::DoneAfterErrors(errors) => self.failed_captures < errors,
        }
    }
}
