//! A JSON body as an extractor.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde_json::Value;

use super::bounds::{self, RequestBody};
use super::{FormError, located, tree};
use crate::problem::{Problem, not_json};

/// A body of this type. Size, media type and form are checked in this order.
pub struct StrictJson<T>(pub T);

impl<S: Send + Sync, T: RequestBody> FromRequest<S> for StrictJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let tree = read_tree(request, T::BYTES_MAX).await?;
        Ok(Self(located::read(&tree)?))
    }
}

/// A body that is JSON by its media type, and neither too large nor too deep; not read yet.
pub struct JsonText<const BYTES_MAX: usize>(pub Bytes);

impl<S: Send + Sync, const BYTES_MAX: usize> FromRequest<S> for JsonText<BYTES_MAX> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        Ok(Self(read_text(request, BYTES_MAX).await?))
    }
}

async fn read_text(request: Request, bytes_max: usize) -> Result<Bytes, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = bounds::read(body, bytes_max).await?;
    if !is_json(&parts.headers) {
        return Err(not_json(parts.headers.get(CONTENT_TYPE)));
    }
    bounds::check_depth(&bytes)?;
    Ok(bytes)
}

/// The body as a tree, whatever its type is to be.
pub(super) async fn read_tree(request: Request, bytes_max: usize) -> Result<Value, Problem> {
    let tree = tree::parse(&read_text(request, bytes_max).await?)?;
    if !tree.is_object() {
        return Err(FormError::at("", "the body must be an object").into());
    }
    Ok(tree)
}

/// `application/json`, in any case, with whatever parameters; JSON is UTF-8 by itself.
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let essence = only.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}
