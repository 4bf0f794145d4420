//! An authorisation asked for, and the buyer's answer to a challenge.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Decision, Fault, Ledger};
use crate::simulated_provider::authorisation::{
    Authorisation, AuthorisationRequest, Failure, Status,
};
use crate::simulated_provider::entry::{Asked, Entry, EntryKind, Line};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::payment_method::Issuer;
use crate::simulated_provider::refusal::Refusal;

impl Ledger {
    pub(super) fn decide_authorise(
        &self,
        key: IdempotencyKey,
        request: AuthorisationRequest,
        reference: Uuid,
        fault: Option<Fault>,
        now: DateTime<Utc>,
    ) -> Result<Decision, Refusal> {
        if let Some(known) = self.recall(&key, &request)? {
            return Ok(Decision::Replay(known.clone()));
        }
        let before = self.by_attempt(request.attempt_id);
        if before.is_some_and(|before| !before.is_of(&request)) {
            return Err(Refusal::AttemptReused);
        }
        if self.is_full() {
            return Err(Refusal::BooksFull);
        }
        let script = request.payment_method.script();
        let errors = self.attempts.get(&request.attempt_id).map_or(0, |attempt| attempt.errors);
        if fault == Some(Fault::BeforeTheWork) || (before.is_none() && errors < script.errors) {
            let asked = Asked::Authorise(request);
            return Ok(Decision::Book(
                Line::Errored { idempotency_key: key, asked, at: now },
                reference,
            ));
        }
        let errored = fault == Some(Fault::AfterTheWork);
        if let Some(before) = before {
            let asked = Asked::Authorise(request);
            let line = Line::Again { idempotency_key: key, asked, at: now, errored };
            return Ok(Decision::Book(line, before.reference));
        }
        let (kind, failure) = match script.issuer {
            Issuer::Authorises => (EntryKind::Authorisation, None),
            Issuer::Declines => (EntryKind::Decline, Some(Failure::card_declined())),
            Issuer::Challenges => (EntryKind::Challenge, None),
        };
        let line = Line::Decided {
            entry: Entry {
                kind,
                reference,
                idempotency_key: key,
                order_id: request.order_id,
                attempt_id: request.attempt_id,
                amount: request.amount,
                currency: request.currency,
                at: now,
            },
            payment_method: request.payment_method,
            failure,
            expires_at: self.lapse(kind, now),
            errored,
        };
        Ok(Decision::Book(line, reference))
    }

    pub(super) fn decide_answer(
        &self,
        reference: Uuid,
        accepts: bool,
        now: DateTime<Utc>,
    ) -> Result<Decision, Refusal> {
        let challenged = self.by_reference(reference).filter(|it| it.was_challenged());
        let challenged = challenged.ok_or(Refusal::NotFound)?;
        if challenged.status != Status::RequiresAction {
            return Ok(Decision::Replay(challenged.clone()));
        }
        let (kind, failure) = match accepts {
            true => (EntryKind::Authorisation, None),
            false => (EntryKind::Decline, Some(Failure::challenge_declined())),
        };
        let key = challenged.idempotency_key.clone();
        let entry = challenged.entry(kind, key, challenged.amount, now);
        let expires_at = self.lapse(kind, now);
        Ok(Decision::Book(Line::Answered { entry, failure, expires_at }, reference))
    }

    /// When what is decided so now lapses.
    fn lapse(&self, kind: EntryKind, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        (kind == EntryKind::Authorisation).then(|| now.checked_add_signed(self.life)).flatten()
    }
}

impl Authorisation {
    /// Whether this very request could have led to it, under whichever key.
    fn is_of(&self, request: &AuthorisationRequest) -> bool {
        let of = AuthorisationRequest {
            order_id: self.order_id,
            attempt_id: self.attempt_id,
            amount: self.amount,
            currency: self.currency,
            payment_method: self.payment_method,
        };
        of == *request
    }

    fn was_challenged(&self) -> bool {
        self.payment_method.script().issuer == Issuer::Challenges
    }
}
