//! `X-Request-Id`: echoed if it is fit to be, drawn otherwise.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;
use uuid::Builder;

/// The header.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longer ones are nobody's ids, and logs keep them.
const REQUEST_ID_BYTES_MAX: usize = 128;

/// Gives every request and its answer an id.
pub async fn keep_request_id(request: Request, next: Next) -> Response {
    under_its_id(request, |request| next.run(request)).await
}

/// Answers the request, with an id on it, on its answer, and on every line that is logged meanwhile.
pub(crate) async fn under_its_id<A: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let given = request.headers().get(X_REQUEST_ID).filter(|id| is_fit(id)).cloned();
    let id = given.unwrap_or_else(|| {
        // Of the thread's own generator: each from the system's would be a call of the system.
        let id = Builder::from_random_bytes(rand::random()).into_uuid();
        HeaderValue::try_from(id.to_string()).expect("a UUID is visible ASCII")
    });
    let shown = id.to_str().unwrap_or_default();
    let span = tracing::info_span!("request", id = shown, method = %request.method());
    let mut response = answer(request).instrument(span).await;
    response.headers_mut().insert(X_REQUEST_ID, id);
    response
}

fn is_fit(id: &HeaderValue) -> bool {
    (1..=REQUEST_ID_BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}
