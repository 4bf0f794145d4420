//! What a command would book: the replay by key first, then what was done before under another key,
//! then the state, then the line.

mod authorise;
mod move_money;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Ledger, Movement};
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest};
use crate::simulated_provider::entry::{Asked, Line};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::refusal::Refusal;

/// What is to be booked, once, under its key.
#[derive(Debug)]
pub(in crate::simulated_provider) enum Command {
    /// `reference` is drawn by the caller and only used if the attempt has none.
    Authorise {
        key: IdempotencyKey,
        request: AuthorisationRequest,
        reference: Uuid,
        fault: Option<Fault>,
    },
    /// The buyer's answer to a challenge.
    Answer { reference: Uuid, accepts: bool },
    /// Money is to move.
    Move { key: IdempotencyKey, reference: Uuid, movement: Movement, fault: Option<Fault> },
}

/// That a new key's request is to be answered with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::simulated_provider) enum Fault {
    /// With nothing done.
    BeforeTheWork,
    /// With all of it done.
    AfterTheWork,
}

/// What a command comes to, unless it is refused.
#[derive(Debug)]
pub(in crate::simulated_provider) enum Decision {
    /// The key, or the buyer, did this before; the authorisation as it is now.
    Replay(Authorisation),
    /// This line is to be applied and made durable before anyone hears of it; then the answer is
    /// the authorisation of this reference, or the line's error.
    Book(Line, Uuid),
}

impl Ledger {
    /// Decides a command; `now` is the time that its line will bear.
    pub(in crate::simulated_provider) fn decide(
        &self,
        command: Command,
        now: DateTime<Utc>,
    ) -> Result<Decision, Refusal> {
        match command {
            Command::Authorise { key, request, reference, fault } => {
                self.decide_authorise(key, request, reference, fault, now)
            }
            Command::Answer { reference, accepts } => self.decide_answer(reference, accepts, now),
            Command::Move { key, reference, movement, fault } => {
                self.decide_move(key, reference, movement, fault, now)
            }
        }
    }

    /// The authorisation that this very request got before under this key, if it did.
    pub(in crate::simulated_provider) fn recall(
        &self,
        key: &IdempotencyKey,
        request: &AuthorisationRequest,
    ) -> Result<Option<&Authorisation>, Refusal> {
        let Some(used) = self.uses.get(key) else { return Ok(None) };
        match &used.asked {
            Asked::Authorise(first) if first != request => Err(Refusal::KeyReused),
            Asked::Authorise(_) if used.errored => Err(Refusal::SimulatedError),
            Asked::Authorise(_) => Ok(self.by_attempt(request.attempt_id)),
            Asked::Move { .. } => Err(Refusal::KeyReused),
        }
    }
}
