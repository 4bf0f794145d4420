//! Whoever asks, by the `Authorization` header of his request.

use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::clock::Clock;

use super::token::{Caller, TokenVerifier};
use crate::problem::{Problem, table};

/// Who asks, by the token that the request shows.
///
/// # Errors
/// `unauthenticated`, and what is wrong with it.
pub fn authenticate(
    verifier: &TokenVerifier,
    clock: &dyn Clock,
    headers: &HeaderMap,
) -> Result<Caller, Problem> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let Some(first) = given.next() else {
        let detail = "a token is needed, in the header `Authorization: Bearer <token>`";
        return Err(unauthenticated(detail, "Bearer"));
    };
    let caller = match given.next() {
        None => bearer(first.as_bytes()).and_then(|token| {
            verifier.verify(token, clock.now()).ok_or("the token is not good, or no longer")
        }),
        Some(_) => Err("there is more than one Authorization header"),
    };
    caller.map_err(|detail| unauthenticated(detail, "Bearer error=\"invalid_token\""))
}

/// The token after the scheme, whose name is written in any case; or what is wrong with the header.
fn bearer(value: &[u8]) -> Result<&str, &'static str> {
    let value = str::from_utf8(value).map_err(|_| "the token is not good, or no longer")?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(
            "the scheme `Bearer` is missing: the header is `Authorization: Bearer <token>`",
        );
    }
    match token.trim_start_matches(' ') {
        "" => Err("the token is missing: the header is `Authorization: Bearer <token>`"),
        token => Ok(token),
    }
}

/// Whether `/admin/*` is open to the caller.
///
/// # Errors
/// `forbidden`.
pub(crate) fn require_operator(caller: &Caller) -> Result<(), Problem> {
    if caller.is_operator {
        return Ok(());
    }
    Err(Problem::new(&table::FORBIDDEN, "this needs the scope `operator`"))
}

fn unauthenticated(detail: &str, challenge: &'static str) -> Problem {
    Problem::new(&table::UNAUTHENTICATED, detail)
        .with_header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

/// The buyer who asks. Only where an usher has let buyers in.
pub struct Buyer(pub BuyerId);

/// The operator who asks, by `sub`. Only where an usher has let operators in.
pub struct Operator(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Buyer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        caller(parts).map(|caller| Self(caller.buyer.clone()))
    }
}

/// All that the token says. Only where an usher has looked at the token.
impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        caller(parts).cloned()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let operator = caller(parts)?.buyer.as_str().to_owned();
        Ok(Self(operator))
    }
}

fn caller(parts: &Parts) -> Result<&Caller, Problem> {
    parts.extensions.get::<Caller>().ok_or_else(|| {
        tracing::error!(path = parts.uri.path(), "a route stands outside its authentication");
        Problem::internal()
    })
}
