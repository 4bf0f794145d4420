//! `OPTIONS`: a browser's preflight is answered by the layer for other origins, whatever the path; any
//! other is a method like the rest, which no path takes.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};
use axum::middleware::Next;
use axum::response::Response;
use tower::ServiceExt as _;

/// Lets preflights and all other methods through to the layer for other origins, and takes any other
/// `OPTIONS` past it.
pub(super) async fn pass_by_unless_preflight(
    State(without_layer): State<Router>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let is_preflight =
        headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if request.method() != Method::OPTIONS || is_preflight {
        return next.run(request).await;
    }
    match without_layer.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
