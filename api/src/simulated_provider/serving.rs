//! Connections as the product's own server bounds them, and one thing more: to end one without an answer.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt, service_fn};

use super::Settings;
use crate::connections;
use crate::request_id::keep_request_id;

/// An answer that is not to leave. Who answers with it has given back all that it held.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("this request gets no answer")]
pub(super) struct Silence;

impl IntoResponse for Silence {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        response.extensions_mut().insert(self);
        response
    }
}

/// Serves until `shutdown`, then ends the connections when their answers have left. Callers that
/// get none are kept waiting for the settings' `silence`.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &Settings,
    shutdown: CancellationToken,
) {
    // An answer without an id would be taken for one that no router made.
    let router = router.layer(from_fn(keep_request_id));
    let (silence, told) = (settings.silence, shutdown.clone());
    let service =
        service_fn(move |request| Box::pin(answer(router.clone(), request, silence, told.clone())));
    connections::attend(listener, service, settings.bounds, shutdown).await;
}

/// An error makes hyper close the connection with nothing written.
async fn answer(
    router: Router,
    request: Request<Incoming>,
    silence: Duration,
    shutdown: CancellationToken,
) -> Result<Response, Silence> {
    let Ok(response) = router.oneshot(request.map(Body::new)).await;
    let Some(no_answer) = response.extensions().get::<Silence>().copied() else {
        return Ok(response);
    };
    tokio::select! {
        () = sleep(silence) => {}
        () = shutdown.cancelled() => {}
    }
    Err(no_answer)
}
