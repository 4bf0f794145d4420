//! That the process is about to stop, for answers that would otherwise wait: a long poll ends with
//! what there is.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tokio_util::sync::CancellationToken;

/// Taken from a request's extensions, where [`crate::connections::serve`] puts it; of a request that
/// came by no connection, one that never stops. Counted from outside: each clone of a token takes a lock that
/// all its clones share.
#[derive(Clone, Debug, Default)]
pub struct Stopping(pub Arc<CancellationToken>);

impl<S: Send + Sync> FromRequestParts<S> for Stopping {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
