//! What payment providers tell by themselves.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, WWW_AUTHENTICATE};

use crate::problem::documented::TakeNoticeProblems;
use crate::problem::{Problem, overloaded, table};
use crate::strict::{PathName, read_raw};
use crate::webhooks::{NotTaken, Webhooks};

/// Far more than any notice has; a provider's are a few kilobytes.
const BYTES_MAX: usize = 256 * 1024;

/// Keeps a provider's notice; it has been kept when this is answered. The signature stands for a token:
/// without one of now, no body is read.
#[utoipa::path(
    post,
    path = "/payments/webhooks/{provider}",
    tag = "payments",
    params(("provider" = String, Path, description = "`simulated` or `stripe`")),
    request_body(content = Vec<u8>, description = "As the provider signed it",
        content_type = "application/json"),
    responses((status = 204, description = "Kept"), TakeNoticeProblems)
)]
pub(super) async fn take_notice(
    State(webhooks): State<Arc<Webhooks>>,
    provider: PathName,
    request: Request,
) -> Result<StatusCode, Problem> {
    let (head, body) = request.into_parts();
    // A body is read for whoever may be the provider.
    webhooks.look(provider.as_str(), &head.headers).map_err(not_taken)?;
    let body = read_raw(body, BYTES_MAX).await?;
    webhooks.take(provider.as_str(), &head.headers, &body).await.map_err(not_taken)?;
    Ok(StatusCode::NO_CONTENT)
}

fn not_taken(why: NotTaken) -> Problem {
    match why {
        NotTaken::NoSuchProvider => Problem::not_found(),
        NotTaken::Forged(forged) => {
            let problem = Problem::new(&table::UNAUTHENTICATED, forged.to_string());
            problem.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Signature"))
        }
        NotTaken::Unavailable(error) => {
            tracing::warn!(%error, "a notice was not kept");
            overloaded()
        }
    }
}
