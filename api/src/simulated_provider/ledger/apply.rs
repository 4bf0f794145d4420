//! What a line makes of the books.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Contradiction, Ledger, Use};
use crate::simulated_provider::authorisation::{
    Authorisation, AuthorisationRequest, Failure, NextAction, Status,
};
use crate::simulated_provider::entry::{Asked, Entry, EntryKind, Line};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::ledger::Movement;
use crate::simulated_provider::payment_method::PaymentMethod;
use crate::simulated_provider::webhooks::Event;

impl Ledger {
    /// Takes a line in, and says what there is to tell of it. One that contradicts the books changes
    /// nothing.
    pub(in crate::simulated_provider) fn apply(
        &mut self,
        line: Line,
    ) -> Result<Option<Event>, Contradiction> {
        match line {
            Line::Opened { .. } => Err("the books were opened before"),
            Line::Decided { entry, payment_method, failure, expires_at, errored } => {
                self.apply_decided(entry, payment_method, failure, expires_at, errored).map(Some)
            }
            Line::Answered { entry, failure, expires_at } => {
                self.apply_answered(entry, failure, expires_at).map(Some)
            }
            Line::Moved { entry, refund_id, errored } => {
                self.apply_moved(entry, refund_id, errored).map(Some)
            }
            Line::Errored { idempotency_key, asked, .. } => {
                self.count_error(&asked, &idempotency_key)?;
                self.remember(idempotency_key, asked, true)?;
                Ok(None)
            }
            Line::Again { idempotency_key, asked, errored, .. } => {
                let known = match &asked {
                    Asked::Authorise(request) => self.by_attempt(request.attempt_id).is_some(),
                    Asked::Move { movement: Movement::Refund { refund_id, .. }, .. } => {
                        self.refunds.contains_key(refund_id)
                    }
                    Asked::Move { .. } => false,
                };
                if !known {
                    return Err("nothing was done before that it could repeat");
                }
                self.remember(idempotency_key, asked, errored)?;
                Ok(None)
            }
            Line::Acknowledged { event, .. } if event < self.events => Ok(None),
            Line::Acknowledged { .. } => Err("there is no such event"),
        }
    }

    fn apply_decided(
        &mut self,
        entry: Entry,
        payment_method: PaymentMethod,
        failure: Option<Failure>,
        expires_at: Option<DateTime<Utc>>,
        errored: bool,
    ) -> Result<Event, Contradiction> {
        let status = status_after(entry.kind, failure.is_some())?;
        if self.authorisations.contains_key(&entry.reference) {
            return Err("the reference is taken");
        }
        // In version 1 an attempt could have several authorisations, each with a key of its own: the
        // last one is found by the attempt.
        let asked = Asked::Authorise(entry.request(payment_method));
        self.remember(entry.idempotency_key.clone(), asked, errored)?;
        let mut authorisation = Authorisation {
            reference: entry.reference,
            status,
            failure: None,
            next_action: None,
            order_id: entry.order_id,
            attempt_id: entry.attempt_id,
            amount: entry.amount,
            currency: entry.currency,
            authorised_at: None,
            expires_at: None,
            captured: false,
            captured_amount: 0,
            captured_at: None,
            voided: false,
            voided_at: None,
            refunded_amount: 0,
            refunds: Vec::new(),
            charged_back_amount: 0,
            idempotency_key: entry.idempotency_key.clone(),
            payment_method,
            failed_captures: 0,
        };
        authorisation.decided(status, failure, entry.at, expires_at);
        if status == Status::RequiresAction {
            let url = format!("{}/challenges/{}", self.base_url, entry.reference);
            authorisation.next_action = Some(NextAction::Redirect { url });
        }
        self.attempts.entry(entry.attempt_id).or_default().reference = Some(entry.reference);
        self.booked.push(entry.reference);
        self.authorisations.insert(entry.reference, authorisation);
        Ok(self.keep(entry, None, payment_method))
    }

    fn apply_answered(
        &mut self,
        entry: Entry,
        failure: Option<Failure>,
        expires_at: Option<DateTime<Utc>>,
    ) -> Result<Event, Contradiction> {
        let status = status_after(entry.kind, failure.is_some())?;
        let authorisation = self
            .authorisations
            .get_mut(&entry.reference)
            .filter(|it| it.status == Status::RequiresAction && status != it.status)
            .ok_or("there is no challenge that it could answer")?;
        authorisation.decided(status, failure, entry.at, expires_at);
        let payment_method = authorisation.payment_method;
        Ok(self.keep(entry, None, payment_method))
    }

    fn apply_moved(
        &mut self,
        entry: Entry,
        refund_id: Option<Uuid>,
        errored: bool,
    ) -> Result<Event, Contradiction> {
        let movement = entry.movement(refund_id).ok_or("this kind of entry moves nothing")?;
        let reference = entry.reference;
        let authorisation = self.by_reference(reference).ok_or("there is no such authorisation")?;
        authorisation.allows(movement, entry.at).map_err(|_| "the state does not allow it")?;
        self.remember(entry.idempotency_key.clone(), Asked::Move { reference, movement }, errored)?;
        if let Movement::Refund { refund_id, .. } = movement {
            self.refunds.insert(refund_id, (reference, movement));
        }
        let authorisation =
            self.authorisations.get_mut(&reference).ok_or("there is no such authorisation")?;
        authorisation.record(movement, entry.at);
        let payment_method = authorisation.payment_method;
        Ok(self.keep(entry, refund_id, payment_method))
    }

    fn count_error(&mut self, asked: &Asked, key: &IdempotencyKey) -> Result<(), Contradiction> {
        if self.uses.contains_key(key) {
            return Err(KEY_TAKEN);
        }
        match asked {
            Asked::Authorise(request) => {
                self.attempts.entry(request.attempt_id).or_default().errors += 1;
            }
            Asked::Move { reference, movement } => {
                let authorisation = self
                    .authorisations
                    .get_mut(reference)
                    .ok_or("there is no such authorisation")?;
                if *movement == Movement::Capture {
                    authorisation.failed_captures += 1;
                }
            }
        }
        Ok(())
    }

    fn remember(
        &mut self,
        key: IdempotencyKey,
        asked: Asked,
        errored: bool,
    ) -> Result<(), Contradiction> {
        if self.uses.contains_key(&key) {
            return Err(KEY_TAKEN);
        }
        self.uses.insert(key, Use { asked, errored });
        Ok(())
    }

    fn keep(
        &mut self,
        entry: Entry,
        refund_id: Option<Uuid>,
        payment_method: PaymentMethod,
    ) -> Event {
        let entry = Arc::new(entry);
        if entry.kind.moves_money() {
            self.money_entries.push(entry.clone());
        }
        let number = self.events;
        self.events += 1;
        Event { number, entry, refund_id, webhooks: payment_method.script().webhooks }
    }
}

const KEY_TAKEN: Contradiction = "the key was used before";

fn status_after(kind: EntryKind, has_failure: bool) -> Result<Status, Contradiction> {
    match (kind, has_failure) {
        (EntryKind::Authorisation, false) => Ok(Status::Authorised),
        (EntryKind::Challenge, false) => Ok(Status::RequiresAction),
        (EntryKind::Decline, true) => Ok(Status::Declined),
        (EntryKind::Authorisation | EntryKind::Decline | EntryKind::Challenge, _) => {
            Err("a decline has a reason, and nothing else has one")
        }
        (
            EntryKind::Capture
            | EntryKind::Void
            | EntryKind::Withdrawal
            | EntryKind::Refund
            | EntryKind::Chargeback,
            _,
        ) => Err("this kind of entry decides nothing"),
    }
}

impl Authorisation {
    /// The lines of version 1 have no `expires_at`: what they authorise does not lapse.
    fn decided(
        &mut self,
        status: Status,
        failure: Option<Failure>,
        at: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) {
        self.status = status;
        self.failure = failure;
        self.next_action = None;
        if status == Status::Authorised {
            self.authorised_at = Some(at);
            self.expires_at = expires_at;
        }
    }
}

impl Entry {
    fn request(&self, payment_method: PaymentMethod) -> AuthorisationRequest {
        AuthorisationRequest {
            order_id: self.order_id,
            attempt_id: self.attempt_id,
            amount: self.amount,
            currency: self.currency,
            payment_method,
        }
    }
}
