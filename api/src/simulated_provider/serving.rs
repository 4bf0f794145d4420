//! Connections, by hand, for the one thing that axum cannot do: to end one without an answer.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// After an accept that failed for want of descriptors: the time for some to come back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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
/// get none are kept waiting for `silence`.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    silence: Duration,
    shutdown: CancellationToken,
) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(attend(stream, router.clone(), silence, shutdown.clone()));
            }
            Err(error) if is_of_the_caller(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "the simulated provider cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    connections.close();
    connections.wait().await;
}

fn is_of_the_caller(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

async fn attend(stream: TcpStream, router: Router, silence: Duration, shutdown: CancellationToken) {
    // A caller that has gone by now is noticed at the first read.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(router.clone(), request, silence, shutdown.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // How a connection ends is the caller's affair: what was asked is in work or in the books.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = shutdown.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
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
