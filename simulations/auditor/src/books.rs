//! The payment provider's own account, as its `GET /books` gives it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What an entry did with the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// Set aside.
    Authorisation,
    /// Taken.
    Capture,
    /// Let go.
    Void,
    /// Given back.
    Refund,
    /// Taken back by the buyer's bank.
    Chargeback,
}

/// One entry of the books. Members that the auditor does not use are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What it did.
    pub kind: EntryKind,
    /// The provider's name for the authorisation; its capture and void bear the same.
    pub reference: String,
    /// Under which the entry was asked for; a refund's begins with its name.
    pub idempotency_key: String,
    /// The order, as the server named it.
    pub order_id: Uuid,
    /// The attempt, as the server named it.
    pub attempt_id: Uuid,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
}
