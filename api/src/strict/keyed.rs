//! A JSON body that comes with an `Idempotency-Key`.

use axum::extract::{FromRequest, OriginalUri, Request};
use axum::http::HeaderMap;
use taquilla_engine::command::Keyed;

use super::bounds::RequestBody;
use super::fingerprint::fingerprint;
use super::{FormError, form, json, malformed};
use crate::problem::Problem;

/// The header that names a request for its repetitions.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Bound by the contract.
const KEY_BYTES_MAX: usize = 255;

/// A body of this type, and the key with the request's fingerprint. Body before header, since 413 and
/// 415 come before 400.
pub struct KeyedJson<T> {
    /// What is asked.
    pub body: T,
    /// Under which key.
    pub keyed: Keyed,
}

impl<S: Send + Sync, T: RequestBody> FromRequest<S> for KeyedJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let key = read_key(request.headers());
        let method = request.method().clone();
        let path = match request.extensions().get::<OriginalUri>() {
            Some(uri) => uri.path().to_owned(),
            None => request.uri().path().to_owned(),
        };
        let (tree, mut errors) = json::read_tree(request, T::BYTES_MAX).await?;
        let body = form::read(&tree).map_err(|misfits| errors.extend(misfits)).ok();
        let key = key.map_err(|error| errors.push(error)).ok();
        match (body, key) {
            (Some(body), Some(key)) if errors.is_empty() => {
                let fingerprint = fingerprint(&method, &path, &tree);
                Ok(Self { body, keyed: Keyed { key, fingerprint } })
            }
            (Some(_) | None, Some(_) | None) => Err(malformed(errors)),
        }
    }
}

fn read_key(headers: &HeaderMap) -> Result<Box<str>, FormError> {
    let error = |detail: &str| Err(FormError::at(IDEMPOTENCY_KEY, detail));
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else {
        return error("this request needs exactly one such header");
    };
    let visible = key.as_bytes().iter().all(u8::is_ascii_graphic);
    match key.to_str() {
        Ok(key) if visible && (1..=KEY_BYTES_MAX).contains(&key.len()) => Ok(key.into()),
        Ok(_) | Err(_) => error("1 to 255 visible ASCII characters"),
    }
}
