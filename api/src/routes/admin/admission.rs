//! How many are let in to a sale: looked at, bounded, stopped; every admission revoked.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use uuid::Uuid;

use crate::auth::Operator;
use crate::desk::{Desk, EventDesk, OWNER_WAIT_MAX};
use crate::forms::admission::{AdmissionChange, AdmissionForm, RevokeForm};
use crate::problem::Problem;
use crate::problem::documented::{ChangeAdmissionProblems, OperatorReadProblems};
use crate::routes::answered::private;
use crate::routes::queue::{not_queued, starting};
use crate::strict::{PathName, StrictJson};
use crate::views::AdmissionView;
use crate::waiting_rooms::WaitingRooms;

/// An owner decides once a second; one that has died is soon followed by another.
const DECIDED_MAX: Duration = Duration::from_secs(2);

/// How many are let in a second, what limits it, and what that rests on. 404 of a sale without a waiting room.
#[utoipa::path(
    get,
    path = "/admin/events/{event_id}/admission",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = AdmissionView), OperatorReadProblems)
)]
pub(crate) async fn show_admission(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    seen(&rooms, &event, Moment(0)).await
}

/// Sets a ceiling, stops the line, or lets it go on; those inside go on in any case. Idempotent. It is so when
/// it is answered, and stays so when the process ends.
#[utoipa::path(
    patch,
    path = "/admin/events/{event_id}/admission",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = AdmissionForm,
    responses((status = 200, body = AdmissionView), ChangeAdmissionProblems)
)]
pub(crate) async fn change_admission(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    operator: Operator,
    event: PathName,
    StrictJson(form): StrictJson<AdmissionForm>,
) -> Result<Response, Problem> {
    let change = form.check()?;
    let event = desk.event(&event.reference()?).await?;
    set(&rooms, &event, operator, "change_admission", change).await
}

/// Makes every admission token worth nothing that has been given so far; whoever is inside is given a new one
/// when he asks for his place.
#[utoipa::path(
    post,
    path = "/admin/events/{event_id}/admission/revoke",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = RevokeForm,
    responses((status = 200, body = AdmissionView), ChangeAdmissionProblems)
)]
pub(crate) async fn revoke_admissions(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    operator: Operator,
    event: PathName,
    StrictJson(form): StrictJson<RevokeForm>,
) -> Result<Response, Problem> {
    let change = form.check()?;
    let event = desk.event(&event.reference()?).await?;
    set(&rooms, &event, operator, "revoke_admissions", change).await
}

async fn set(
    rooms: &WaitingRooms,
    event: &EventDesk,
    operator: Operator,
    what: &'static str,
    change: AdmissionChange,
) -> Result<Response, Problem> {
    let room = rooms.of(event).ok_or_else(Problem::not_found)?;
    room.started(OWNER_WAIT_MAX).await.ok_or_else(starting)?;
    let AdmissionChange { patch, reason, detail } = change;
    let detail = detail.to_string().into();
    let deed =
        Deed { id: Uuid::new_v4(), who: operator.0.into(), what, why: reason.into(), detail };
    room.control(patch, deed, event.patience()).await.map_err(not_queued)?;
    // What follows from it is decided within a second.
    seen(rooms, event, event.handle.now()).await
}

/// What was decided later than then.
async fn seen(rooms: &WaitingRooms, event: &EventDesk, then: Moment) -> Result<Response, Problem> {
    let room = rooms.of(event).ok_or_else(Problem::not_found)?;
    let line = room.started(OWNER_WAIT_MAX).await.ok_or_else(starting)?;
    let regulated = room.admission_after(then, DECIDED_MAX).await.ok_or_else(starting)?;
    Ok(private(AdmissionView::of(event.id().uuid(), &regulated, &line)))
}
