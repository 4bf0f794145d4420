//! The provider's own object, and the request that makes one.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::idempotency_key::IdempotencyKey;
use super::money::{Amount, Currency};
use super::payment_method::PaymentMethod;

/// The body of `POST /authorisations`. Two requests are the same if all fields are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthorisationRequest {
    pub(super) order_id: Uuid,
    pub(super) attempt_id: Uuid,
    pub(super) amount: Amount,
    pub(super) currency: Currency,
    pub(super) payment_method: PaymentMethod,
}

/// An authorisation as the books have it, and as every answer shows it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Authorisation {
    pub(super) reference: Uuid,
    pub(super) status: Status,
    pub(super) failure: Option<Failure>,
    pub(super) next_action: Option<NextAction>,
    pub(super) order_id: Uuid,
    pub(super) attempt_id: Uuid,
    pub(super) amount: Amount,
    pub(super) currency: Currency,
    /// When the money was set aside; null as long as it never was.
    pub(super) authorised_at: Option<DateTime<Utc>>,
    /// From when on it cannot be captured any more.
    pub(super) expires_at: Option<DateTime<Utc>>,
    pub(super) captured: bool,
    pub(super) captured_amount: u64,
    pub(super) captured_at: Option<DateTime<Utc>>,
    pub(super) voided: bool,
    pub(super) voided_at: Option<DateTime<Utc>>,
    pub(super) refunded_amount: u64,
    pub(super) refunds: Vec<Refund>,
    pub(super) charged_back_amount: u64,
    /// Of the request that led to it.
    #[serde(skip)]
    pub(super) idempotency_key: IdempotencyKey,
    #[serde(skip)]
    pub(super) payment_method: PaymentMethod,
    /// Captures that ended in an error with nothing done.
    #[serde(skip)]
    pub(super) failed_captures: u32,
}

/// What was decided. Captures, refunds and the void of an authorised one leave it as it is; the void
/// of one that waits for its buyer declines it, as `withdrawn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    RequiresAction,
    Authorised,
    Declined,
}

/// Why an authorisation was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) code: String,
    pub(super) detail: String,
}

/// What the buyer has to do before anything is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum NextAction {
    Redirect { url: String },
}

/// Money given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Refund {
    pub(super) refund_id: Uuid,
    pub(super) amount: Amount,
    pub(super) at: DateTime<Utc>,
}

impl Failure {
    pub(super) fn card_declined() -> Self {
        Self::new("card_declined", "the simulated issuer declined the card")
    }

    pub(super) fn challenge_declined() -> Self {
        Self::new("challenge_declined", "the buyer said no to the simulated issuer's challenge")
    }

    pub(super) fn withdrawn() -> Self {
        Self::new("withdrawn", "it was voided before the buyer had answered the challenge")
    }

    fn new(code: &str, detail: &str) -> Self {
        Self { code: code.to_owned(), detail: detail.to_owned() }
    }
}
