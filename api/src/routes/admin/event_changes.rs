//! A living event changed: its terms, its page, its sale as a whole.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use taquilla_engine::operation::EventChange;
use taquilla_engine::runtime::Node;
use taquilla_persistence::catalogue::Catalogue;

use super::event_moves::Mover;
use super::{Asked, operate_and_read};
use crate::auth::Operator;
use crate::desk::{Desk, EventDesk};
use crate::forms::event_patch::EventPatchForm;
use crate::forms::sale_action::SaleActionForm;
use crate::listings::Listings;
use crate::problem::Problem;
use crate::problem::documented::ChangeEventProblems;
use crate::routes::answered::private;
use crate::strict::{PathName, StrictJson};
use crate::views::OperatorsEventView;

/// Changes what is named of an event, all of it or nothing. Prices, the limit and the life of holds
/// are for holds from now on. With `plan_version` it moves to a later version of its hall's plan, unless
/// that would drop a seat which is sold or held.
#[utoipa::path(
    patch,
    path = "/admin/events/{event_id}",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = EventPatchForm,
    responses((status = 200, body = OperatorsEventView), ChangeEventProblems)
)]
pub(crate) async fn change_event(
    State(desk): State<Desk>,
    State(catalogue): State<Catalogue>,
    State(listings): State<Arc<Listings>>,
    State(node): State<Arc<Node>>,
    operator: Operator,
    event: PathName,
    StrictJson(form): StrictJson<EventPatchForm>,
) -> Result<Response, Problem> {
    if let Some(to) = form.moves()? {
        let event = desk.event(&event.reference()?).await?;
        let (node, catalogue, listings) = (&*node, &catalogue, &*listings);
        let mover = Mover { node, catalogue, listings, event: &event };
        return Ok(private(mover.carry_out(&to, operator, &form.reason).await?));
    }
    let checked = form.check()?;
    let event = desk.event(&event.reference()?).await?;
    let change = checked.at(&event.plan())?;
    let detail = serde_json::to_value(&form).unwrap_or(Value::Null);
    let asked = Asked { what: "change_event", why: &form.reason, detail };
    Ok(private(change_and_show(&catalogue, &listings, &event, operator, asked, change).await?))
}

/// Opens, pauses, resumes or closes the sale. What is so already is granted again; a pause that is to
/// end and is none is refused, and so is what a closed sale cannot be.
#[utoipa::path(
    post,
    path = "/admin/events/{event_id}/sale",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = SaleActionForm,
    responses((status = 200, body = OperatorsEventView), ChangeEventProblems)
)]
pub(crate) async fn change_sale(
    State(desk): State<Desk>,
    State(catalogue): State<Catalogue>,
    State(listings): State<Arc<Listings>>,
    operator: Operator,
    event: PathName,
    StrictJson(form): StrictJson<SaleActionForm>,
) -> Result<Response, Problem> {
    let change = form.check()?;
    let event = desk.event(&event.reference()?).await?;
    let detail = json!({"action": form.action});
    let asked = Asked { what: "change_sale", why: &form.reason, detail };
    Ok(private(change_and_show(&catalogue, &listings, &event, operator, asked, change).await?))
}

/// Decides the change; shows the event as it is listed from then on.
async fn change_and_show(
    catalogue: &Catalogue,
    listings: &Listings,
    event: &EventDesk,
    operator: Operator,
    asked: Asked<'_>,
    change: EventChange,
) -> Result<OperatorsEventView, Problem> {
    let changed = operate_and_read(catalogue, listings, event, operator, asked, change);
    let (listed, answer) = changed.await?;
    let map = event.handle.availability();
    let (at, as_of) = (listed.summary.as_of, answer.as_of);
    Ok(OperatorsEventView::of(&listed, Some(&map), at, as_of))
}
