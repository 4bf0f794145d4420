//! Headers that answers to commands have in common.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::problem::IDEMPOTENT_REPLAYED;

/// Keeps what is a buyer's out of every cache.
pub(super) const PRIVATE: (HeaderName, HeaderValue) =
    (CACHE_CONTROL, HeaderValue::from_static("no-store"));

/// A private answer to a read.
pub(super) fn private<T: Serialize>(view: T) -> Response {
    ([PRIVATE], Json(view)).into_response()
}

/// A private answer with this status; `location` names what was made.
pub(super) fn made<T: Serialize>(
    status: StatusCode,
    location: Option<String>,
    replayed: bool,
    view: T,
) -> Response {
    let mut response = (status, [PRIVATE], Json(view)).into_response();
    if let Some(location) = location.and_then(|it| HeaderValue::try_from(it).ok()) {
        response.headers_mut().insert(LOCATION, location);
    }
    if replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}
