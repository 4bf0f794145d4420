//! Every answer that is not the thing asked for: one table of code, status and words.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::authorisation::Authorisation;

/// Why there is no better answer. But for `SimulatedError`, a refusal booked nothing and is not
/// remembered by its key: a repeat is decided anew. All refusals by state are for ever, but for
/// `NotCaptured` and `RequiresAction`.
#[derive(Debug, Clone)]
pub(super) enum Refusal {
    /// Body, path, query or header cannot be understood; the words say which.
    Malformed(String),
    /// The body is longer than any request needs.
    BodyTooLarge,
    /// No authorisation under this reference or key.
    NotFound,
    /// The key named another request before.
    KeyReused,
    /// The attempt was asked for with other facts, under another key.
    AttemptReused,
    /// The refund's id named another refund.
    RefundReused,
    /// The payment method, or a fault, wants an error here: for good, under this key.
    SimulatedError,
    /// The state of the authorisation, shown along, does not allow it.
    ByState(StateConflict, Box<Authorisation>),
    /// Too much in work already.
    Overloaded,
    /// The books hold as many entries as they may; captures and voids still pass.
    BooksFull,
    /// The books were closed before the answer was durable: it may have been booked, or not.
    BooksClosed,
}

/// Which state stands in the way of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateConflict {
    Declined,
    RequiresAction,
    AlreadyVoided,
    AlreadyCaptured,
    CaptureRefused,
    AuthorisationExpired,
    NotCaptured,
    TooManyRefunds,
    RefundExceedsCapture,
    ChargebackExceedsCapture,
}

#[derive(Serialize)]
struct Body<'a> {
    code: &'static str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    authorisation: Option<&'a Authorisation>,
}

impl Refusal {
    fn row(&self) -> (StatusCode, &'static str, &str) {
        match self {
            Self::Malformed(detail) => (StatusCode::BAD_REQUEST, "malformed_request", detail),
            Self::BodyTooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", "the body is too long")
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "no such authorisation"),
            Self::KeyReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency_key_reused",
                "this key named another request",
            ),
            Self::AttemptReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "attempt_reused",
                "this attempt was asked for with other facts before",
            ),
            Self::RefundReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "refund_reused",
                "this refund_id named another refund",
            ),
            Self::SimulatedError => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "simulated_error",
                "the provider failed; this key fails for ever, another one may not",
            ),
            Self::ByState(conflict, _) => {
                let (code, detail) = conflict.row();
                (StatusCode::CONFLICT, code, detail)
            }
            Self::Overloaded => {
                (StatusCode::SERVICE_UNAVAILABLE, "overloaded", "too much in work; nothing begun")
            }
            Self::BooksFull => {
                (StatusCode::SERVICE_UNAVAILABLE, "books_full", "the books take no more of these")
            }
            Self::BooksClosed => {
                (StatusCode::INTERNAL_SERVER_ERROR, "books_closed", "the outcome is not known")
            }
        }
    }

    fn authorisation(&self) -> Option<&Authorisation> {
        match self {
            Self::ByState(_, authorisation) => Some(authorisation),
            Self::Malformed(_)
            | Self::BodyTooLarge
            | Self::NotFound
            | Self::KeyReused
            | Self::AttemptReused
            | Self::RefundReused
            | Self::SimulatedError
            | Self::Overloaded
            | Self::BooksFull
            | Self::BooksClosed => None,
        }
    }
}

impl StateConflict {
    fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Declined => ("declined", "the authorisation was declined"),
            Self::RequiresAction => {
                ("requires_action", "the buyer has not answered the challenge yet")
            }
            Self::AlreadyVoided => ("already_voided", "the authorisation was voided"),
            Self::AlreadyCaptured => ("already_captured", "the authorisation was captured"),
            Self::CaptureRefused => ("capture_refused", "the simulated issuer refuses the capture"),
            Self::AuthorisationExpired => ("authorisation_expired", "the authorisation has lapsed"),
            Self::TooManyRefunds => ("too_many_refunds", "it has as many refunds as it may"),
            Self::NotCaptured => ("not_captured", "nothing was captured that could be refunded"),
            Self::RefundExceedsCapture => {
                ("refund_exceeds_capture", "refunds and chargebacks would exceed the capture")
            }
            Self::ChargebackExceedsCapture => {
                ("chargeback_exceeds_capture", "refunds and chargebacks would exceed the capture")
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, detail) = self.row();
        let body = Json(Body { code, detail, authorisation: self.authorisation() });
        match status {
            StatusCode::SERVICE_UNAVAILABLE => {
                (status, [(header::RETRY_AFTER, "1")], body).into_response()
            }
            status => (status, body).into_response(),
        }
    }
}
