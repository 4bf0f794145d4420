//! A JSON body as an extractor.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::Value;

use super::bounds::{self, RequestBody};
use super::query::unknown_parameters;
use super::{FormError, form, malformed, tree};
use crate::problem::{Problem, encoded, not_json};

/// A body of this type. Size, media type and form are checked in this order.
pub struct StrictJson<T>(pub T);

impl<S: Send + Sync, T: RequestBody> FromRequest<S> for StrictJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (tree, mut errors) = read_tree(request, T::BYTES_MAX).await?;
        match form::read(&tree) {
            Ok(form) if errors.is_empty() => return Ok(Self(form)),
            Ok(_) => {}
            Err(misfits) => errors.extend(misfits),
        }
        Err(malformed(errors))
    }
}

/// A body that is JSON by its media type, and neither too large nor too deep; not read yet.
pub struct JsonText<const BYTES_MAX: usize>(pub Bytes);

impl<S: Send + Sync, const BYTES_MAX: usize> FromRequest<S> for JsonText<BYTES_MAX> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (text, errors) = read_text(request, BYTES_MAX).await?;
        if errors.is_empty() { Ok(Self(text)) } else { Err(malformed(errors)) }
    }
}

/// The body, and what is wrong with the request besides: who takes a body takes no query.
async fn read_text(request: Request, bytes_max: usize) -> Result<(Bytes, Vec<FormError>), Problem> {
    let (parts, body) = request.into_parts();
    let bytes = bounds::read(body, bytes_max).await?;
    if !is_json(&parts.headers) {
        return Err(not_json(parts.headers.get(CONTENT_TYPE)));
    }
    if is_encoded(&parts.headers) {
        return Err(encoded());
    }
    bounds::check_depth(&bytes)?;
    Ok((bytes, unknown_parameters(&parts.uri, &[])))
}

/// The body as a tree, whatever its type is to be, and what is wrong with the request besides.
pub(super) async fn read_tree(
    request: Request,
    bytes_max: usize,
) -> Result<(Value, Vec<FormError>), Problem> {
    let (text, errors) = read_text(request, bytes_max).await?;
    Ok((parse(&text)?, errors))
}

/// The form in these bytes, which are a body within its bound.
///
/// # Errors
/// All that is wrong, by pointer.
pub fn read_form<T: RequestBody>(json: &[u8]) -> Result<T, Vec<FormError>> {
    bounds::check_depth(json).map_err(|error| vec![error])?;
    form::read(&parse(json).map_err(|error| vec![error])?)
}

/// JSON of a depth that has been looked at.
fn parse(json: &[u8]) -> Result<Value, FormError> {
    let tree = tree::parse(json)?;
    match tree.is_object() {
        true => Ok(tree),
        false => Err(FormError::at("", "the body must be an object")),
    }
}

/// `application/json`, in any case, with whatever parameters; JSON is UTF-8 by itself.
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let essence = only.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// Whether the body was compressed, or anything else was done to it that would have to be undone: its
/// bytes may be JSON by chance.
fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().any(|codings| {
        let codings = codings.to_str().unwrap_or("unreadable");
        let mut codings = codings.split(',').map(str::trim).filter(|coding| !coding.is_empty());
        codings.any(|coding| !coding.eq_ignore_ascii_case("identity"))
    })
}
