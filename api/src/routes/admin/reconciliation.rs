//! How our payments stand against the provider's books.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use taquilla_engine::clock::Clock;
use taquilla_persistence::reconciliation::Reconciliations;

use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::private;
use crate::views::ReconciliationView;

/// The last reconciliation, and whether it has closed new payments. `POST /admin/purchases` with
/// `resume` opens them; what its report spells out does not close them again.
#[utoipa::path(
    get,
    path = "/admin/reconciliation",
    tag = "operators",
    security(("bearer" = ["operator"])),
    responses((status = 200, body = ReconciliationView), OperatorReadProblems)
)]
pub(crate) async fn show_reconciliation(
    State(reconciliations): State<Reconciliations>,
    State(clock): State<Arc<dyn Clock>>,
) -> Result<Response, Problem> {
    let standing = reconciliations.standing().await.map_err(|error| store_unavailable(&error))?;
    Ok(private(ReconciliationView::of(standing, clock.now())))
}
