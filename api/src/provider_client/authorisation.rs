//! The provider's records, as its answers show them.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

/// The provider's record of an amount, with what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Authorisation {
    /// The provider's name for it, opaque.
    pub reference: String,
    /// The order that it was asked for.
    pub order_id: Uuid,
    /// The attempt that it was asked for.
    pub attempt_id: Uuid,
    /// Minor units.
    pub amount: u64,
    /// ISO 4217.
    pub currency: String,
    /// When the money was set aside; `None` if it never was.
    pub authorised_at: Option<DateTime<Utc>>,
    /// From when on it cannot be captured.
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether the whole amount was captured.
    pub captured: bool,
    /// Minor units: all or nothing of the amount.
    pub captured_amount: u64,
    /// Whether it was let go.
    pub voided: bool,
    /// Minor units paid back so far.
    pub refunded_amount: u64,
    /// Each of them.
    pub refunds: Vec<Refund>,
    /// Minor units that the bank took back.
    pub charged_back_amount: u64,
}

/// What was paid back at once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Refund {
    /// The name that it was asked for under.
    pub refund_id: Uuid,
    /// Minor units.
    pub amount: u64,
}

/// The provider's record of an amount that it did not authorise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Declined {
    /// The provider's name for it, opaque.
    pub reference: String,
    /// The order that it was asked for.
    pub order_id: Uuid,
    /// The attempt that it was asked for.
    pub attempt_id: Uuid,
    /// Minor units.
    pub amount: u64,
    /// ISO 4217.
    pub currency: String,
    /// Why.
    pub failure: Failure,
}

/// Why an authorisation was declined.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Failure {
    /// For programs, such as `card_declined`; `withdrawn` if it was voided before the buyer acted.
    pub code: String,
    /// For people.
    pub detail: String,
}

/// The provider's record of an amount that waits for its buyer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Challenged")]
pub struct RequiredAction {
    /// The provider's name for it, opaque.
    pub reference: String,
    /// The order that it was asked for.
    pub order_id: Uuid,
    /// The attempt that it was asked for.
    pub attempt_id: Uuid,
    /// Minor units.
    pub amount: u64,
    /// ISO 4217.
    pub currency: String,
    /// Where the buyer's browser is to go.
    pub url: String,
}

#[derive(Deserialize)]
struct Challenged {
    reference: String,
    order_id: Uuid,
    attempt_id: Uuid,
    amount: u64,
    currency: String,
    next_action: NextAction,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum NextAction {
    Redirect { url: String },
}

impl From<Challenged> for RequiredAction {
    fn from(challenged: Challenged) -> Self {
        let NextAction::Redirect { url } = challenged.next_action;
        Self {
            reference: challenged.reference,
            order_id: challenged.order_id,
            attempt_id: challenged.attempt_id,
            amount: challenged.amount,
            currency: challenged.currency,
            url,
        }
    }
}
