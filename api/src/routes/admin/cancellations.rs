//! Events that do not take place.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use taquilla_engine::operation::{EventChange, SaleAction};
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::orders::{CANCEL_EVENT, Orders};

use super::{Asked, operate_and_read};
use crate::auth::Operator;
use crate::desk::Desk;
use crate::forms::cancellation::CancellationForm;
use crate::listings::Listings;
use crate::problem::documented::{ChangeEventProblems, OperatorReadProblems};
use crate::problem::{Problem, read_back, store_unavailable};
use crate::routes::answered::{made, private};
use crate::strict::{PathName, StrictJson};
use crate::views::CancellationView;

/// Cancels an event for ever: nothing is sold any more, all holds end, and every sold ticket is given
/// back, its seat off sale. That goes on after this answer. Again: the same.
#[utoipa::path(
    post,
    path = "/admin/events/{event_id}/cancel",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = CancellationForm,
    responses((status = 202, body = CancellationView), ChangeEventProblems)
)]
pub(crate) async fn cancel_event(
    State(desk): State<Desk>,
    State(catalogue): State<Catalogue>,
    State(listings): State<Arc<Listings>>,
    State(orders): State<Orders>,
    operator: Operator,
    event: PathName,
    StrictJson(form): StrictJson<CancellationForm>,
) -> Result<Response, Problem> {
    form.check()?;
    let event = desk.event(&event.reference()?).await?;
    let change = EventChange::Sale(SaleAction::Cancel);
    let asked = Asked { what: CANCEL_EVENT, why: &form.reason, detail: json!({}) };
    operate_and_read(&catalogue, &listings, &event, operator, asked, change).await?;
    let progress = read_back(orders.cancellation(event.id().event()).await)?;
    let view = CancellationView::of(event.id(), progress);
    Ok(made(StatusCode::ACCEPTED, None, false, view))
}

/// How far the cancellation of an event has come; 404 of one that is not cancelled.
#[utoipa::path(
    get,
    path = "/admin/events/{event_id}/cancellation",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = CancellationView), OperatorReadProblems)
)]
pub(crate) async fn show_cancellation(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    _: Operator,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let progress = orders.cancellation(event.id().event()).await;
    let progress = progress.map_err(|error| store_unavailable(&error))?;
    let progress = progress.ok_or_else(Problem::not_found)?;
    Ok(private(CancellationView::of(event.id(), progress)))
}
