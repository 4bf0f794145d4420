//! The provider's own object, and the request that makes one.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::money::{Amount, Currency};
use super::payment_method::PaymentMethod;

/// The body of `POST /authorisations`. Two requests with one key are the same if all fields are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthorisationRequest {
    pub(super) order_id: Uuid,
    pub(super) attempt_id: Uuid,
    pub(super) amount: Amount,
    pub(super) currency: Currency,
    pub(super) payment_method: PaymentMethod,
}

/// An authorisation as the books have it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Authorisation {
    pub(super) reference: Uuid,
    pub(super) status: Status,
    pub(super) failure: Option<Failure>,
    pub(super) order_id: Uuid,
    pub(super) attempt_id: Uuid,
    pub(super) amount: Amount,
    pub(super) currency: Currency,
    pub(super) captured: bool,
    pub(super) voided: bool,
    pub(super) refunded_amount: u64,
}

/// What was decided; capture, void and refund leave it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
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
