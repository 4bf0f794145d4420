//! All purchases of the site, stopped and going on.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use taquilla_engine::clock::Clock;
use taquilla_engine::runtime::Node;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::site::Site;
use utoipa::ToSchema;

use super::{deed, not_written};
use crate::auth::Operator;
use crate::forms::purchases::PurchasesForm;
use crate::instant::Instant;
use crate::problem::Problem;
use crate::problem::documented::{ChangeSiteProblems, OperatorReadProblems};
use crate::routes::answered::private;
use crate::strict::StrictJson;
use crate::views::PaymentsView;

/// Whether anything is sold on the site.
#[derive(Serialize, ToSchema)]
#[schema(as = Purchases)]
pub(crate) struct PurchasesView {
    /// Whether an operator has stopped all purchases.
    paused: bool,
    /// Why.
    reason: Option<String>,
    /// Whether new payments are taken, which a reconciliation may have closed; null while that cannot be
    /// read.
    payments: Option<PaymentsView>,
    /// Of a resumption that has opened payments: what had closed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    payments_were_closed: Option<String>,
    /// The server's time.
    as_of: Instant,
}

impl PurchasesView {
    async fn of(reason: Option<String>, site: &Site, clock: &dyn Clock) -> Self {
        let closed = site.payments_closed().await;
        let closed = closed.inspect_err(|error| {
            tracing::warn!(%error, "whether payments are closed cannot be read");
        });
        Self {
            paused: reason.is_some(),
            reason,
            payments: closed.ok().map(PaymentsView::from),
            payments_were_closed: None,
            as_of: Instant(clock.now()),
        }
    }
}

/// Stops all purchases, or lets them go on, and with them payments that a reconciliation has closed.
/// Replays, reads, releases and confirmations go on in any case, and so does the process's readiness.
/// Idempotent.
#[utoipa::path(
    post,
    path = "/admin/purchases",
    tag = "operators",
    security(("bearer" = ["operator"])),
    request_body = PurchasesForm,
    responses((status = 200, body = PurchasesView), ChangeSiteProblems)
)]
pub(crate) async fn change_purchases(
    State(site): State<Site>,
    State(node): State<Arc<Node>>,
    State(clock): State<Arc<dyn Clock>>,
    operator: Operator,
    StrictJson(form): StrictJson<PurchasesForm>,
) -> Result<Response, Problem> {
    let change = form.check()?;
    let action = OperatorAction { why: change.reason, ..deed(operator) };
    let why = change.paused;
    let tell = || node.pause_purchases(why.as_deref().map(Into::into));
    let changed = site.pause_purchases(why.as_deref(), &action, tell).await;
    let payments_were_closed = changed.map_err(not_written)?;
    let view = PurchasesView::of(why, &site, &*clock).await;
    Ok(private(PurchasesView { payments_were_closed, ..view }))
}

/// Whether an operator has stopped all purchases, and why; and whether a reconciliation has closed new
/// payments.
#[utoipa::path(
    get,
    path = "/admin/purchases",
    tag = "operators",
    security(("bearer" = ["operator"])),
    responses((status = 200, body = PurchasesView), OperatorReadProblems)
)]
pub(crate) async fn show_purchases(
    State(node): State<Arc<Node>>,
    State(site): State<Site>,
    State(clock): State<Arc<dyn Clock>>,
) -> Response {
    let reason = node.purchases_paused().map(|reason| reason.to_string());
    private(PurchasesView::of(reason, &site, &*clock).await)
}
