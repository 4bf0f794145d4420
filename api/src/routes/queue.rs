//! The waiting room: joined, looked at, left, followed; how far its line is; how its draw is checked.

pub(super) mod published;
mod shown;
pub(super) mod stream;
mod visit;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

pub(super) use self::shown::AdmissionShown;
use self::visit::Visit;
pub(super) use self::visit::{not_queued, starting};
use super::answered::{PRIVATE, private};
use crate::auth::Buyer;
use crate::challenge::{Challenges, Shown};
use crate::desk::Desk;
use crate::forms::queue::{JoinsQueue, QueueForm};
use crate::problem::documented::{BuyerReadProblems, JoinQueueProblems};
use crate::problem::{FormError, Problem};
use crate::strict::PathName;
use crate::views::QueueTicketView;
use crate::waiting_rooms::WaitingRooms;

/// Joins the line, once a buyer.
#[utoipa::path(
    post,
    path = "/events/{event_id}/queue",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = Option<QueueForm>,
    responses(
        (status = 201, body = QueueTicketView),
        (status = 200, body = QueueTicketView, description = "The caller had joined already"),
        JoinQueueProblems
    )
)]
pub(super) async fn join_queue(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    State(challenges): State<Option<Arc<Challenges>>>,
    Buyer(buyer): Buyer,
    event: PathName,
    JoinsQueue(form): JoinsQueue,
) -> Result<Response, Problem> {
    let read = |challenges| {
        let shown = Shown::read(form.challenge_response.as_deref())?;
        Ok::<_, FormError>((challenges, shown))
    };
    let work = challenges.map(read).transpose()?;
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    visit.refuse_if_over()?;
    if let Some((challenges, shown)) = work {
        visit.ask_for_work(&challenges, &shown)?;
    }
    let joined = visit.room.join(&visit.buyer, visit.event.patience()).await.map_err(not_queued)?;
    let status = if joined.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, [PRIVATE], Json(visit.show().await?)).into_response())
}

/// Where the caller stands.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = QueueTicketView), BuyerReadProblems)
)]
pub(super) async fn show_place(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    Buyer(buyer): Buyer,
    event: PathName,
) -> Result<Response, Problem> {
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    Ok(private(visit.show().await?))
}

/// Gives the caller's place up.
#[utoipa::path(
    delete,
    path = "/events/{event_id}/queue",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 204), BuyerReadProblems)
)]
pub(super) async fn leave_queue(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    Buyer(buyer): Buyer,
    event: PathName,
) -> Result<StatusCode, Problem> {
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    visit.room.leave(&visit.buyer, visit.event.patience()).await.map_err(not_queued)?;
    Ok(StatusCode::NO_CONTENT)
}
