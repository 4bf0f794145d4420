//! `POST /events/{event_id}/queue`.

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use http_body::Body as _;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::strict::{RequestBody, StrictJson};

/// A buyer who joins. May be left out.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JoinQueue)]
pub struct QueueForm {
    /// To a challenge, where there is one. Nothing asks for any yet.
    #[expect(dead_code, reason = "read for its form only, while nothing asks for it")]
    challenge_response: Option<String>,
}

impl RequestBody for QueueForm {}

/// The form, or nothing at all.
pub struct JoinsQueue;

impl<S: Send + Sync> FromRequest<S> for JoinsQueue {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if request.body().is_end_stream() && !request.headers().contains_key(CONTENT_TYPE) {
            return Ok(Self);
        }
        StrictJson::<QueueForm>::from_request(request, state).await.map(|_| Self)
    }
}
