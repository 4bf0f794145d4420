//! Everything that goes wrong, as RFC 9457 problems. [`table`] is the one list of them; [`refusal`]
//! is the one match from what the engine says.
//!
//! A [`Problem`] leaves its handler without a body: `completed` writes it, since `instance` needs the request.

mod conflict;
pub mod documented;
mod malformed;
pub mod members;
pub mod page;
mod raw;
mod refusal;
pub mod table;
mod too_many;

use std::panic::AssertUnwindSafe;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use conflict::plan_in_the_way;
pub use malformed::{ERRORS_MAX, FormError, FormErrors, malformed};
pub use raw::over_the_wire;
pub use refusal::{
    RECONCILIATION_UNSAFE, outcome_unknown, overloaded, paused, paused_by_operator,
    payments_closed, read_back, refused, store_unavailable, unanswered,
};
pub use table::ProblemType;
pub use too_many::{RATE_LIMIT, RATE_LIMIT_POLICY, TooMany};

/// Says that an answer is an earlier result of the same key.
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// One answer that says no. Boxed, since every handler returns room for one.
#[derive(Clone, Debug)]
pub struct Problem(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    kind: &'static ProblemType,
    detail: String,
    members: Map<String, Value>,
    headers: HeaderMap,
}

impl Problem {
    /// A problem of this type. `detail` is for people, and says nothing of the inside.
    #[must_use]
    pub fn new(kind: &'static ProblemType, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self(Box::new(Parts { kind, detail, members: Map::new(), headers: HeaderMap::new() }))
    }

    /// No such thing, or it is another buyer's.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(&table::NOT_FOUND, "there is no such thing, or it is not yours")
    }

    /// Whether it is [`Problem::not_found`].
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        *self.0.kind == table::NOT_FOUND
    }

    /// A bug. Whoever finds it logs it; the caller learns nothing of it.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(&table::INTERNAL_ERROR, "something went wrong on our side")
    }

    /// With an extra member.
    ///
    /// # Panics
    /// If the value is no JSON, which is a bug.
    #[must_use]
    pub fn with(mut self, member: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).expect("members of problems are plain JSON");
        self.0.members.insert(member.into(), value);
        self
    }

    /// With a header of its own.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// Marked as an earlier result of the same key, if it is one.
    #[must_use]
    pub fn replayed(self, replayed: bool) -> Self {
        if !replayed {
            return self;
        }
        self.with_header(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"))
    }

    fn body(&self, instance: &str) -> Vec<u8> {
        let parts = &*self.0;
        let mut body = json!({
            "type": type_of(parts.kind),
            "title": parts.kind.title,
            "status": parts.kind.status.as_u16(),
            "detail": parts.detail,
            "instance": instance,
        });
        let members = body.as_object_mut().expect("an object literal is an object");
        members.extend(parts.members.clone());
        body.to_string().into_bytes()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.0.kind.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The `type` of every problem of this kind.
fn type_of(kind: &ProblemType) -> String {
    format!("/problems/{}", kind.slug)
}

/// As a layer, for a router without the interface's front: gives every problem, and every panic, its body and headers.
pub async fn complete_problems(request: Request, next: Next) -> Response {
    completed(request, |request| next.run(request)).await
}

/// Answers the request; if the answer is a problem, it has its body and headers, and a panic is one.
pub(crate) async fn completed<A: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let (asked, is_head) = (request.uri().clone(), request.method() == Method::HEAD);
    // What a handler leaves half done lives in actors and rows, which have their own word on panics.
    let answered = AssertUnwindSafe(answer(request)).catch_unwind().await;
    // The panic hook has said where.
    let mut response = answered.unwrap_or_else(|_| Problem::internal().into_response());
    let Some(problem) = response.extensions_mut().remove::<Problem>() else { return response };
    met(problem.0.kind);
    let headers = response.headers_mut();
    headers.extend(problem.0.headers.clone());
    let body = problem.body(asked.path());
    headers.insert(CONTENT_LENGTH, body.len().into());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.0.kind.retry_after_seconds {
        headers.entry(RETRY_AFTER).or_insert_with(|| seconds.into());
    }
    *response.body_mut() = if is_head { Body::empty() } else { body.into() };
    response
}

/// Counts an answer that says no, whoever gave it.
fn met(kind: &ProblemType) {
    metrics::counter!("taquilla_problems_total", "slug" => kind.slug).increment(1);
}

/// For paths that nothing answers.
pub async fn no_such_route() -> Problem {
    Problem::new(&table::NOT_FOUND, "nothing answers at this path")
}

/// For methods that a path does not have; `taken` names those that it has.
#[must_use]
pub fn no_such_method(taken: &str) -> Problem {
    Problem::new(&table::METHOD_NOT_ALLOWED, format!("this path takes only {taken}"))
}

/// The request has this media type, or none, where JSON is wanted.
#[must_use]
pub fn not_json(content_type: Option<&HeaderValue>) -> Problem {
    let detail = match content_type {
        Some(_) => "the body must be application/json",
        None => "the body must be application/json, and a Content-Type header must say so",
    };
    Problem::new(&table::UNSUPPORTED_MEDIA_TYPE, detail)
}

/// The body was compressed, or otherwise encoded. Says what would be taken, as RFC 9110 asks.
#[must_use]
pub fn encoded() -> Problem {
    let detail = "a body with a Content-Encoding is not read here: send it as it is";
    Problem::new(&table::UNSUPPORTED_MEDIA_TYPE, detail)
        .with_header(ACCEPT_ENCODING, HeaderValue::from_static("identity"))
}
