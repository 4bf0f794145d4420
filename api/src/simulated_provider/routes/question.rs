//! What is asked of `GET /authorisations`: one, by its key or its attempt, or a part of all.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::Deserialize;
use uuid::Uuid;

use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::refusal::Refusal;

const LIMIT_MAX: usize = 100;

pub(super) enum Question {
    Key(IdempotencyKey),
    Attempt(Uuid),
    /// The cursor is how many come before; what is booked stays where it is.
    All {
        skipped: usize,
        limit: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    idempotency_key: Option<IdempotencyKey>,
    attempt_id: Option<Uuid>,
    cursor: Option<usize>,
    limit: Option<usize>,
}

impl<S: Send + Sync> FromRequestParts<S> for Question {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let Query(words) = Query::<Words>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| Refusal::Malformed(rejection.body_text()))?;
        match words {
            Words { idempotency_key: Some(key), attempt_id: None, cursor: None, limit: None } => {
                Ok(Self::Key(key))
            }
            Words { idempotency_key: None, attempt_id: Some(id), cursor: None, limit: None } => {
                Ok(Self::Attempt(id))
            }
            Words { idempotency_key: None, attempt_id: None, cursor, limit } => {
                let limit = limit.unwrap_or(LIMIT_MAX);
                if (1..=LIMIT_MAX).contains(&limit) {
                    Ok(Self::All { skipped: cursor.unwrap_or(0), limit })
                } else {
                    Err(Refusal::Malformed(format!("limit is 1 to {LIMIT_MAX}, not {limit}")))
                }
            }
            Words { .. } => Err(Refusal::Malformed(
                "idempotency_key, attempt_id and cursor or limit exclude each other".to_owned(),
            )),
        }
    }
}
