//! Connections: how many there may be, how long each may take for a request's head or to take its
//! answer in, and how all of them end. axum's own loop has none of these bounds.
//!
//! A head that hyper cannot read it answers by itself, without a body; [`wire`] puts a problem in that
//! answer's place.

mod turned_away;
mod wire;

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{Service, ServiceExt as _};

use self::turned_away::turn_away;
use self::wire::Wire;
use crate::stopping::Stopping;

/// More header fields than any client of ours sends; hyper's own default.
const HEADERS_MAX: usize = 100;

/// A head of this size is nobody's: a token may have 8 KiB. hyper takes no less than 8 KiB.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// When the process has no file descriptor left, the next may be there after a moment.
const NO_DESCRIPTOR_PAUSE: Duration = Duration::from_millis(200);

/// Who is at the other end of a request's connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Open at once; one more is answered `overloaded` and closed.
    pub open_max: usize,
    /// For the whole head of a request, and for the next request to begin: then the connection is
    /// closed without an answer.
    pub head_patience: Duration,
    /// For the client to take something of an answer in: then the connection is closed.
    pub write_patience: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            open_max: 10_000,
            head_patience: Duration::from_secs(30),
            write_patience: Duration::from_secs(30),
        }
    }
}

/// Answers requests until `stopping`, then those that are there; returns when the last is answered.
pub async fn serve<S>(
    listener: TcpListener,
    service: S,
    bounds: Bounds,
    stopping: CancellationToken,
) where
    S: Service<Request<Body>, Response = Response, Error = Infallible>,
    S: Clone + Send + Unpin + 'static,
    S::Future: Send + Unpin,
{
    let told = Stopping(Arc::new(stopping.clone()));
    let service = service.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(told.clone());
        request
    });
    attend(listener, service, bounds, stopping).await;
}

/// The same of any service. Its error ends the connection without an answer.
pub(crate) async fn attend<S>(
    listener: TcpListener,
    service: S,
    bounds: Bounds,
    stopping: CancellationToken,
) where
    S: Service<Request<Incoming>, Response = Response> + Clone + Send + Unpin + 'static,
    S::Future: Send + Unpin,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let places = Arc::new(Semaphore::new(bounds.open_max));
    let open = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopping.cancelled() => break,
        };
        let (stream, peer) = match accepted {
            Ok((stream, address)) => (stream, Peer(address.ip())),
            Err(error) if is_the_clients(&error) => continue,
            Err(error) => {
                tracing::error!(%error, "no connection can be taken");
                sleep(NO_DESCRIPTOR_PAUSE).await;
                continue;
            }
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let stopping = stopping.clone();
                let service = service.clone().map_request(move |mut request: Request<Incoming>| {
                    request.extensions_mut().insert(peer);
                    request
                });
                open.spawn(async move {
                    converse(stream, service, bounds, stopping).await;
                    drop(place);
                });
            }
            Err(_) => turn_away(stream),
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
}

/// One connection, until it ends.
async fn converse<S>(stream: TcpStream, service: S, bounds: Bounds, stopping: CancellationToken)
where
    S: Service<Request<Incoming>, Response = Response> + Clone + Unpin,
    S::Future: Unpin,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    // Answers are small and written whole; waiting for more costs a round trip.
    let _ = stream.set_nodelay(true);
    let wire = Wire::new(stream, bounds.write_patience);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head_patience)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(wire, TowerToHyperService::new(service));
    let mut connection = connection;
    let mut stop = pin!(stopping.cancelled());
    let mut is_stopping = false;
    let ended = poll_fn(|context| {
        if !is_stopping && stop.as_mut().poll(context).is_ready() {
            is_stopping = true;
            std::pin::Pin::new(&mut connection).graceful_shutdown();
        }
        connection.poll_without_shutdown(context)
    });
    if let Err(error) = ended.await {
        tracing::debug!(%error, "a connection broke off");
    }
    connection.into_parts().io.hang_up(is_stopping).await;
}

/// Errors that concern the connection just lost, not the next.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::ConnectionRefused | Kind::ConnectionAborted | Kind::ConnectionReset
    )
}
