//! What a command would book: the replay by key first, then the state, then the line.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Asked, Ledger, Movement};
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest, Failure};
use crate::simulated_provider::entry::{Entry, EntryKind, Line};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::refusal::Refusal;

/// What is to be booked, once, under its key.
#[derive(Debug)]
pub(in crate::simulated_provider) enum Command {
    /// `reference` is drawn by the caller and only used if the key is new.
    Authorise {
        key: IdempotencyKey,
        request: AuthorisationRequest,
        reference: Uuid,
        failure: Option<Failure>,
    },
    Move {
        key: IdempotencyKey,
        reference: Uuid,
        movement: Movement,
    },
}

/// What a command comes to, unless it is refused.
#[derive(Debug)]
pub(in crate::simulated_provider) enum Decision {
    /// The key did this before; the authorisation as it is now.
    Replay(Authorisation),
    /// This line is to be applied and made durable before anyone hears of it.
    Book(Line),
}

impl Ledger {
    /// Decides a command; `now` is the time that its line will bear.
    pub(in crate::simulated_provider) fn decide(
        &self,
        command: Command,
        now: DateTime<Utc>,
    ) -> Result<Decision, Refusal> {
        match command {
            Command::Authorise { key, request, reference, failure } => {
                if let Some(known) = self.recall(&key, &request)? {
                    return Ok(Decision::Replay(known.clone()));
                }
                if self.is_full() {
                    return Err(Refusal::BooksFull);
                }
                Ok(Decision::Book(decided(key, request, reference, failure, now)))
            }
            Command::Move { key, reference, movement } => {
                let authorisation = self.by_reference(reference).ok_or(Refusal::NotFound)?;
                if let Some(used) = self.uses.get(&key) {
                    return if used.reference == reference && used.asked == Asked::Move(movement) {
                        Ok(Decision::Replay(authorisation.clone()))
                    } else {
                        Err(Refusal::KeyReused)
                    };
                }
                authorisation.allows(movement).map_err(|conflict| {
                    Refusal::ByState(conflict, Box::new(authorisation.clone()))
                })?;
                if matches!(movement, Movement::Refund(_)) && self.is_full() {
                    return Err(Refusal::BooksFull);
                }
                Ok(Decision::Book(moved(key, authorisation, movement, now)))
            }
        }
    }

    /// The authorisation that this very request made before under this key, if it did.
    pub(in crate::simulated_provider) fn recall(
        &self,
        key: &IdempotencyKey,
        request: &AuthorisationRequest,
    ) -> Result<Option<&Authorisation>, Refusal> {
        let Some(used) = self.uses.get(key) else { return Ok(None) };
        match &used.asked {
            Asked::Authorise(first) if first == request => Ok(self.by_reference(used.reference)),
            Asked::Authorise(_) | Asked::Move(_) => Err(Refusal::KeyReused),
        }
    }
}

fn decided(
    key: IdempotencyKey,
    request: AuthorisationRequest,
    reference: Uuid,
    failure: Option<Failure>,
    now: DateTime<Utc>,
) -> Line {
    let kind = if failure.is_some() { EntryKind::Decline } else { EntryKind::Authorisation };
    Line::Decided {
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
    }
}

fn moved(
    key: IdempotencyKey,
    authorisation: &Authorisation,
    movement: Movement,
    now: DateTime<Utc>,
) -> Line {
    let (kind, amount) = match movement {
        Movement::Capture => (EntryKind::Capture, authorisation.amount),
        Movement::Void => (EntryKind::Void, authorisation.amount),
        Movement::Refund(amount) => (EntryKind::Refund, amount),
    };
    Line::Moved {
        entry: Entry {
            kind,
            reference: authorisation.reference,
            idempotency_key: key,
            order_id: authorisation.order_id,
            attempt_id: authorisation.attempt_id,
            amount,
            currency: authorisation.currency,
            at: now,
        },
    }
}
