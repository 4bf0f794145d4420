//! Every answer that is not the thing asked for: one table of code, status and words.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::authorisation::Authorisation;

/// Why nothing was booked. A refusal is not remembered by its key: a repeat is decided anew. All
/// refusals by state are for ever, but for `NotCaptured`.
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
    /// The state of the authorisation, shown along, does not allow it.
    ByState(StateConflict, Box<Authorisation>),
    /// Too much in work already.
    Overloaded,
    /// The books hold as many entries as they may; captures and voids still pass.
    BooksFull,
    /// The books were closed before the answer was durable: it may have been booked, or not.
    BooksClosed,
}

/// Which state stands in the way of a capture, void or refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateConflict {
    Declined,
    AlreadyVoided,
    AlreadyCaptured,
    NotCaptured,
    RefundExceedsCapture,
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
            Self::AlreadyVoided => ("already_voided", "the authorisation was voided"),
            Self::AlreadyCaptured => ("already_captured", "the authorisation was captured"),
            Self::NotCaptured => ("not_captured", "nothing was captured that could be refunded"),
            Self::RefundExceedsCapture => {
                ("refund_exceeds_capture", "all refunds together would exceed the capture")
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
