//! One line of the books: what happened once, and is never altered.

use std::ops::Not;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::authorisation::{AuthorisationRequest, Failure};
use super::idempotency_key::IdempotencyKey;
use super::ledger::Movement;
use super::money::{Amount, Currency};
use super::payment_method::PaymentMethod;

/// The version of the lines below, which has those of version 1 in it. A file of another version is
/// refused, not guessed at.
pub(super) const FORMAT: u32 = 2;

/// A line of the file, as JSON.
///
/// `errored`: it was done, and its own request was answered with an error, as are all repeats.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    /// The first line: who keeps these books.
    Opened { format: u32, instance: Uuid, at: DateTime<Utc> },
    /// An authorisation asked for: an `authorisation`, a `decline` with its reason, or a `challenge`.
    Decided {
        entry: Entry,
        payment_method: PaymentMethod,
        failure: Option<Failure>,
        /// Of an authorisation; absent in version 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<DateTime<Utc>>,
        #[serde(default, skip_serializing_if = "Not::not")]
        errored: bool,
    },
    /// What the buyer made of a challenge: an `authorisation` or a `decline`, with the key of the
    /// request that led to the challenge.
    Answered {
        entry: Entry,
        failure: Option<Failure>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<DateTime<Utc>>,
    },
    /// A `capture`, `void`, `withdrawal`, `refund` or `chargeback`.
    Moved {
        entry: Entry,
        /// Of a refund; absent in version 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refund_id: Option<Uuid>,
        #[serde(default, skip_serializing_if = "Not::not")]
        errored: bool,
    },
    /// Nothing was done, and the key is answered with an error for ever.
    Errored { idempotency_key: IdempotencyKey, asked: Asked, at: DateTime<Utc> },
    /// The endpoint of webhooks has taken the event of this number: those of the lines that have an
    /// entry, counted from 0.
    Acknowledged { event: u64, at: DateTime<Utc> },
    /// Another key for what had been done before.
    Again {
        idempotency_key: IdempotencyKey,
        asked: Asked,
        at: DateTime<Utc>,
        #[serde(default, skip_serializing_if = "Not::not")]
        errored: bool,
    },
}

/// What a key was used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Asked {
    Authorise(AuthorisationRequest),
    Move { reference: Uuid, movement: Movement },
}

/// An entry as `GET /books` shows it. `amount` is what this entry moves, in minor units.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    pub(super) reference: Uuid,
    pub(super) idempotency_key: IdempotencyKey,
    pub(super) order_id: Uuid,
    pub(super) attempt_id: Uuid,
    pub(super) amount: Amount,
    pub(super) currency: Currency,
    pub(super) at: DateTime<Utc>,
}

/// What an entry did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EntryKind {
    Authorisation,
    Decline,
    Challenge,
    Capture,
    Void,
    /// The void of what was never authorised.
    Withdrawal,
    Refund,
    Chargeback,
}

impl EntryKind {
    /// Whether it moved money. What did not is kept for its key, and left out of `GET /books`.
    pub(super) fn moves_money(self) -> bool {
        match self {
            Self::Authorisation | Self::Capture | Self::Void | Self::Refund | Self::Chargeback => {
                true
            }
            Self::Decline | Self::Challenge | Self::Withdrawal => false,
        }
    }
}

impl Line {
    /// Appends the line and its end to `bytes`.
    pub(super) fn append_to(&self, bytes: &mut Vec<u8>) {
        serde_json::to_writer(&mut *bytes, self)
            .expect("a line has string keys only, and memory takes every write");
        bytes.push(b'\n');
    }

    /// Whether the request that led to this line is answered with an error.
    pub(super) fn is_errored(&self) -> bool {
        match self {
            Self::Errored { .. } => true,
            Self::Decided { errored, .. }
            | Self::Moved { errored, .. }
            | Self::Again { errored, .. } => *errored,
            Self::Opened { .. } | Self::Answered { .. } | Self::Acknowledged { .. } => false,
        }
    }
}
