//! Who lets the requests of each group of routes in: what they pass before a handler reads anything of them, in the order of
//! the interface's checks. A route's own methods are looked at behind it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::queries::Unread;
use crate::app::App;
use crate::auth::{Caller, authenticate, require_operator};
use crate::in_time::answer_in_time;
use crate::problem::Problem;

/// Stands before a group.
pub(super) struct Usher {
    app: Arc<App>,
    unread: Unread,
}

impl Usher {
    /// Of a group whose operations read no queries but for these.
    pub(super) fn new(app: &Arc<App>, unread: Unread) -> Arc<Self> {
        Arc::new(Self { app: Arc::clone(app), unread })
    }

    fn authenticate(&self, request: &Request) -> Result<Caller, Problem> {
        authenticate(&self.app.verifier, &*self.app.clock, request.headers())
    }
}

/// What nobody is kept from: whether the process is well, what the interface is, and the notices of providers.
/// These come from a few addresses, as many as a sale has payments; each that is put off is money that is known
/// later, and without a signature of now none is read.
pub(super) async fn let_everybody_in(
    State(usher): State<Arc<Usher>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    usher.unread.refuse(&request)?;
    Ok(next.run(request).await)
}

/// Whoever does not ask too much.
pub(super) async fn let_the_public_in(
    State(usher): State<Arc<Usher>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    usher.app.limits.count_address(&request)?;
    usher.unread.refuse(&request)?;
    Ok(next.run(request).await)
}

/// Buyers by their tokens. What they wait for is bounded.
pub(super) async fn let_buyers_in(
    State(usher): State<Arc<Usher>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    usher.app.limits.count_address(&request)?;
    let caller = usher.authenticate(&request)?;
    usher.app.limits.count_account(&caller)?;
    usher.unread.refuse(&request)?;
    request.extensions_mut().insert(caller);
    Ok(answer_in_time(usher.app.settings.decision_deadline, request, next).await)
}

/// Operators by their tokens.
pub(super) async fn let_operators_in(
    State(usher): State<Arc<Usher>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    usher.app.limits.count_address(&request)?;
    let caller = usher.authenticate(&request)?;
    require_operator(&caller)?;
    usher.unread.refuse(&request)?;
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}
