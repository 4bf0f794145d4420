//! One line of the books: what happened once, and is never altered.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::authorisation::Failure;
use super::idempotency_key::IdempotencyKey;
use super::money::{Amount, Currency};
use super::payment_method::PaymentMethod;

/// The version of the lines below. A file of another version is refused, not guessed at.
pub(super) const FORMAT: u32 = 1;

/// A line of the file, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    /// The first line: who keeps these books.
    Opened { format: u32, instance: Uuid, at: DateTime<Utc> },
    /// An authorisation asked for: an `authorisation`, or a `decline` with its reason.
    Decided { entry: Entry, payment_method: PaymentMethod, failure: Option<Failure> },
    /// A `capture`, `void` or `refund`.
    Moved { entry: Entry },
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
    /// Moved no money: kept for its key, and left out of `GET /books`.
    Decline,
    Capture,
    Void,
    Refund,
}

impl Line {
    /// Appends the line and its end to `bytes`.
    pub(super) fn append_to(&self, bytes: &mut Vec<u8>) {
        serde_json::to_writer(&mut *bytes, self)
            .expect("a line has string keys only, and memory takes every write");
        bytes.push(b'\n');
    }
}
