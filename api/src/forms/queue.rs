//! `POST /events/{event_id}/queue`.

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use http_body::Body as _;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::strict::{RequestBody, StrictJson, malformed, unknown_parameters};

/// A buyer who joins. May be left out.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JoinQueue)]
pub struct QueueForm {
    /// The solution of a challenge, where one is asked for: Base64 of JSON, as ALTCHA's widget makes it.
    pub challenge_response: Option<String>,
}

impl RequestBody for QueueForm {}

/// The form, or nothing at all.
pub struct JoinsQueue(pub QueueForm);

impl<S: Send + Sync> FromRequest<S> for JoinsQueue {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if request.body().is_end_stream() && !request.headers().contains_key(CONTENT_TYPE) {
            let errors = unknown_parameters(request.uri(), &[]);
            return if errors.is_empty() {
                Ok(Self(QueueForm::default()))
            } else {
                Err(malformed(errors))
            };
        }
        StrictJson::<QueueForm>::from_request(request, state).await.map(|form| Self(form.0))
    }
}
