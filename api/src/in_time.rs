//! A bound on everything that a buyer's command waits for: the decision, and whatever is read around
//! it. The work itself lives in actors and rows, so giving up the wait loses nothing.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::app::EdgeSettings;
use crate::problem::outcome_unknown;

/// Answers a command within the decision's deadline, with `outcome-unknown` if need be. Reads have
/// bounds of their own: a long poll is meant to wait.
pub(crate) async fn answer_in_time(
    State(settings): State<Arc<EdgeSettings>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() == Method::GET {
        return next.run(request).await;
    }
    match timeout(settings.decision_deadline, next.run(request)).await {
        Ok(response) => response,
        Err(_) => outcome_unknown().into_response(),
    }
}
