//! Holds: taken, looked at, given back.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Command;
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::HoldId;
use taquilla_engine::refusal::Refusal;
use taquilla_persistence::catalogue::Reference;
use taquilla_persistence::orders::Orders;

use super::answered::{PRIVATE, made, private};
use crate::auth::Buyer;
use crate::desk::Desk;
use crate::forms::hold::HoldForm;
use crate::forms::hold_item::ItemQuery;
use crate::problem::documented::{
    BuyerReadProblems, PlaceHoldProblems, ReleaseHoldProblems, ReleaseItemsProblems,
};
use crate::problem::{Problem, refused, store_unavailable};
use crate::strict::{KeyedJson, PathName, StrictQuery};
use crate::views::{HoldListView, HoldView, Instant};

/// Takes seats or places, all or nothing, for as long as the sale's holds live.
#[utoipa::path(
    post,
    path = "/holds",
    tag = "holds",
    security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header), ("Admission-Token" = Option<String>, Header)),
    request_body = HoldForm,
    responses((status = 201, body = HoldView), PlaceHoldProblems)
)]
pub(super) async fn place_hold(
    State(desk): State<Desk>,
    Buyer(buyer): Buyer,
    KeyedJson { body, keyed }: KeyedJson<HoldForm>,
) -> Result<Response, Problem> {
    let event = Reference::Id(body.event_id);
    let wanted = body.check()?;
    let event = desk.event(&event).await?;
    let wish = wanted.wish(&event.terms().plan);
    // No waiting room gives admissions yet.
    let command = Command::PlaceHold { buyer, keyed, wish, admitted: false };
    let answer = event.decide(command).await?;
    let Outcome::Hold(hold) = answer.outcome else { return Err(unexpected(&answer.outcome)) };
    let view = HoldView::of(&hold, event.id(), event.terms(), answer.as_of);
    let location = format!("/holds/{}", hold.id);
    Ok(made(StatusCode::CREATED, Some(location), answer.replayed, view))
}

/// One of the caller's holds.
#[utoipa::path(
    get,
    path = "/holds/{hold_id}",
    tag = "holds",
    security(("bearer" = [])),
    params(("hold_id" = String, Path)),
    responses((status = 200, body = HoldView), BuyerReadProblems)
)]
pub(super) async fn show_hold(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    Buyer(buyer): Buyer,
    hold: PathName,
) -> Result<Response, Problem> {
    let hold = hold.id(HoldId::parse)?;
    let event = desk.numbered(hold.event())?;
    let command = Command::ReadHold { buyer: buyer.clone(), hold };
    match event.decide(command).await {
        Ok(answer) => match answer.outcome {
            Outcome::Hold(hold) => {
                Ok(private(HoldView::of(&hold, event.id(), event.terms(), answer.as_of)))
            }
            other => Err(unexpected(&other)),
        },
        // Its owner has forgotten it; its row has not.
        Err(problem) if problem.is_not_found() => {
            let record = orders.hold(hold, &buyer).await;
            let record = record.map_err(|error| store_unavailable(&error))?;
            Ok(private(HoldView::from(record.ok_or(problem)?)))
        }
        Err(problem) => Err(problem),
    }
}

/// Gives a hold back, and its order with it. Again: the same answer.
#[utoipa::path(
    delete,
    path = "/holds/{hold_id}",
    tag = "holds",
    security(("bearer" = [])),
    params(("hold_id" = String, Path)),
    responses((status = 204), ReleaseHoldProblems)
)]
pub(super) async fn release_hold(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    Buyer(buyer): Buyer,
    hold: PathName,
) -> Result<Response, Problem> {
    let hold = hold.id(HoldId::parse)?;
    let event = desk.numbered(hold.event())?;
    let command = Command::ReleaseHold { buyer: buyer.clone(), hold };
    match event.decide(command).await {
        Ok(_) => {}
        Err(problem) if problem.is_not_found() => {
            let record = orders.hold(hold, &buyer).await;
            let record = record.map_err(|error| store_unavailable(&error))?;
            match record.ok_or(problem)?.status {
                HoldStatus::Released | HoldStatus::Expired => {}
                status @ (HoldStatus::Converted | HoldStatus::Active) => {
                    return Err(refused(&Refusal::HoldNotActive(status), event.terms()));
                }
            }
        }
        Err(problem) => return Err(problem),
    }
    Ok((StatusCode::NO_CONTENT, [PRIVATE]).into_response())
}

/// Gives a part of a hold back; the rest ends when it would have ended. Whoever gives all of it back
/// has released it.
#[utoipa::path(
    delete,
    path = "/holds/{hold_id}/items",
    tag = "holds",
    security(("bearer" = [])),
    params(("hold_id" = String, Path), ItemQuery),
    responses((status = 200, body = HoldView), ReleaseItemsProblems)
)]
pub(super) async fn release_items(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    Buyer(buyer): Buyer,
    hold: PathName,
    StrictQuery(item): StrictQuery<ItemQuery>,
) -> Result<Response, Problem> {
    let item = item.check()?;
    let hold = hold.id(HoldId::parse)?;
    let event = desk.numbered(hold.event())?;
    let part = item.part(&event.terms().plan);
    let command = Command::GiveBack { buyer: buyer.clone(), hold, part };
    match event.decide(command).await {
        Ok(answer) => match answer.outcome {
            Outcome::Hold(hold) => {
                Ok(private(HoldView::of(&hold, event.id(), event.terms(), answer.as_of)))
            }
            other => Err(unexpected(&other)),
        },
        // Its owner has forgotten it, so it is over.
        Err(problem) if problem.is_not_found() => {
            let record = orders.hold(hold, &buyer).await;
            let record = record.map_err(|error| store_unavailable(&error))?;
            match record.filter(|record| record.status != HoldStatus::Active) {
                None => Err(problem),
                Some(record) => Err(refused(&Refusal::HoldNotActive(record.status), event.terms())),
            }
        }
        Err(problem) => Err(problem),
    }
}

/// The caller's active holds in an event.
#[utoipa::path(
    get,
    path = "/events/{event_id}/holds",
    tag = "holds",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = HoldListView), BuyerReadProblems)
)]
pub(super) async fn list_holds(
    State(desk): State<Desk>,
    Buyer(buyer): Buyer,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let answer = event.decide(Command::ReadHolds { buyer }).await?;
    let Outcome::Holds(holds) = answer.outcome else { return Err(unexpected(&answer.outcome)) };
    let view = |hold| HoldView::of(hold, event.id(), event.terms(), answer.as_of);
    Ok(private(HoldListView {
        items: holds.iter().map(view).collect(),
        next_cursor: None,
        as_of: Instant(answer.as_of),
    }))
}

/// A command was answered by what answers another one: a bug.
pub(super) fn unexpected(outcome: &Outcome) -> Problem {
    tracing::error!(outcome = outcome.code(), "a command has another one's outcome");
    Problem::internal()
}
