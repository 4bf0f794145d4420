//! Requests to a router, and what came back.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body::Frame;
use serde_json::Value;
use taquilla_api::connections::Peer;
use taquilla_api::routes::Front;
use tower::ServiceExt;

use super::conformity;

/// One request in the making.
#[must_use]
pub(crate) struct Call {
    front: Front,
    request: axum::http::request::Builder,
    body: Body,
}

struct Stuck;

impl HttpBody for Stuck {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Call {
    pub(crate) fn new(front: Front, method: Method, path: &str) -> Self {
        let request = Request::builder().method(method).uri(path);
        Self { front, request, body: Body::empty() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// As if it came over a connection from this address.
    pub(crate) fn peer(mut self, address: &str) -> Self {
        self.request = self.request.extension(Peer(address.parse().expect("an address")));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.text(&body.to_string())
    }

    /// A body that says that it is JSON.
    pub(crate) fn text(self, body: &str) -> Self {
        self.header("content-type", "application/json").raw(body)
    }

    pub(crate) fn raw(mut self, body: &str) -> Self {
        self.body = Body::from(body.to_owned());
        self
    }

    /// A body of which nothing ever comes.
    pub(crate) fn stuck(mut self) -> Self {
        self.body = Body::new(Stuck);
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let request = self.request.body(self.body).expect("a well-formed request");
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = self.front.oneshot(request).await.expect("a front answers");
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a body in memory").to_vec();
        let answer = Answer { status: parts.status, headers: parts.headers, bytes };
        conformity::check(&method, &path, &answer);
        answer
    }
}

impl Answer {
    /// The body, of an answer with this status.
    pub(crate) fn ok(&self, status: u16) -> Value {
        let text = String::from_utf8_lossy(&self.bytes);
        assert_eq!(self.status.as_u16(), status, "{text}");
        if self.bytes.is_empty() { Value::Null } else { self.json() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.bytes)))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("visible ASCII"))
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.header("idempotent-replayed") == Some("true")
    }

    /// The problem's body, after a check of everything that problems have in common.
    pub(crate) fn problem(&self, status: u16, slug: &str) -> Value {
        let text = String::from_utf8_lossy(&self.bytes);
        assert_eq!(self.status.as_u16(), status, "{text}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert!(self.header("x-request-id").is_some());
        let body = self.json();
        assert_eq!(body["type"], format!("/problems/{slug}"), "{text}");
        assert_eq!(body["status"], status);
        for member in ["title", "detail", "instance"] {
            assert!(body[member].is_string(), "{member} of {text}");
        }
        if status == 503 || status == 429 {
            let seconds: u32 = self.header("retry-after").expect("one").parse().expect("seconds");
            assert!(seconds > 0);
        }
        body
    }

    /// The pointers of a malformed request.
    pub(crate) fn pointers(&self) -> Vec<String> {
        let body = self.problem(400, "malformed-request");
        let errors = body["errors"].as_array().expect("errors");
        assert!(errors.iter().all(|error| error["detail"].is_string()), "{body}");
        let pointer = |error: &Value| error["pointer"].as_str().expect("a pointer").to_owned();
        errors.iter().map(pointer).collect()
    }
}
