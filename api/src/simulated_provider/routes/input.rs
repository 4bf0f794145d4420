//! Headers, paths and bodies, parsed strictly, so that every refusal has one shape.

use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use uuid::Uuid;

use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::refusal::Refusal;

/// For a body, which is a packet or two.
const PATIENCE: Duration = Duration::from_secs(20);

/// A JSON body, whatever its media type; no body stands for `{}`.
pub(super) struct Body<T>(pub(super) T);

/// The body of an operation that needs none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Empty {}

/// The reference in the path. What is no UUID names nothing.
pub(super) struct Reference(pub(super) Uuid);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let bytes = timeout(PATIENCE, Bytes::from_request(request, state)).await;
        let bytes = bytes.map_err(|_| {
            let seconds = PATIENCE.as_secs();
            Refusal::Malformed(format!("the body did not come within {seconds} seconds"))
        })?;
        let bytes = bytes.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Refusal::BodyTooLarge,
            _ => Refusal::Malformed(rejection.body_text()),
        })?;
        let json: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        let body =
            serde_json::from_slice(json).map_err(|error| Refusal::Malformed(said(&error)))?;
        Ok(Self(body))
    }
}

/// What is wrong, without where: buyers read it, and none of them wrote the body.
fn said(error: &serde_json::Error) -> String {
    let said = error.to_string();
    match said.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => said,
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let mut keys = parts.headers.get_all("idempotency-key").iter();
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return Err(Refusal::Malformed("one Idempotency-Key header is required".to_owned()));
        };
        let key = String::from_utf8_lossy(key.as_bytes()).into_owned();
        Self::try_from(key).map_err(Refusal::Malformed)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Reference {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let Path(reference) =
            Path::from_request_parts(parts, state).await.map_err(|_| Refusal::NotFound)?;
        Ok(Self(reference))
    }
}

#[cfg(test)]
mod tests {
    use axum::body;
    use tokio::time::Instant;

    use super::*;
    use crate::strict::stuck::Stuck;

    #[tokio::test(start_paused = true)]
    async fn a_body_is_waited_for_only_so_long() {
        let never = Request::new(body::Body::new(Stuck));
        let begun = Instant::now();
        let read = Body::<Empty>::from_request(never, &()).await;
        assert!(matches!(read, Err(Refusal::Malformed(why)) if why.contains("20 seconds")));
        assert_eq!(begun.elapsed(), PATIENCE);
    }
}
