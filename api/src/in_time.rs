//! A bound on everything that a buyer's command waits for: the decision, and whatever is read around
//! it. The work itself lives in actors and rows, so giving up the wait loses nothing.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::problem::outcome_unknown;

/// Answers a command within the decision's deadline, with `outcome-unknown` if need be. Reads have
/// bounds of their own: a long poll is meant to wait. So has a body: a client that sends slowly has
/// asked for nothing yet.
pub(crate) async fn answer_in_time(
    decision_deadline: Duration,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let (request, body_read) = watch_body(request);
    tokio::select! {
        response = next.run(request) => response,
        () = deadline(body_read, decision_deadline) => outcome_unknown().into_response(),
    }
}

async fn deadline(body_read: oneshot::Receiver<()>, patience: Duration) {
    // It ends by the body's being dropped, read or not.
    let _ = body_read.await;
    sleep(patience).await;
}

/// The request, and what ends once its body is done with.
fn watch_body(request: Request) -> (Request, oneshot::Receiver<()>) {
    let (in_use, done) = oneshot::channel();
    (request.map(|body| Body::new(Watched { body, _in_use: in_use })), done)
}

/// A body that says by its end that nobody reads it any more.
struct Watched {
    body: Body,
    _in_use: oneshot::Sender<()>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
