//! Holds: taken, looked at, given back.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::command::Command;
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::HoldId;
use taquilla_engine::refusal::Refusal;
use taquilla_persistence::catalogue::Reference;
use taquilla_persistence::orders::Orders;

use super::answered::{PRIVATE, made, private};
use super::queue::AdmissionShown;
use crate::auth::Buyer;
use crate::desk::{Desk, EventDesk, in_rows, unexpected};
use crate::forms::hold::HoldForm;
use crate::forms::hold_item::ItemQuery;
use crate::instant::Instant;
use crate::problem::documented::{
    BuyerReadProblems, PlaceHoldProblems, ReleaseHoldProblems, ReleaseItemsProblems,
};
use crate::problem::{Problem, refused};
use crate::strict::{KeyedJson, PathName, StrictQuery};
use crate::views::{HoldListView, HoldView};

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
    shown: AdmissionShown,
    KeyedJson { body, keyed }: KeyedJson<HoldForm>,
) -> Result<Response, Problem> {
    let event = Reference::Id(body.event_id);
    let wanted = body.check()?;
    let event = desk.event(&event).await?;
    let wish = wanted.wish(&event.plan());
    let admission = shown.at(&event, &buyer).await?;
    let command = Command::PlaceHold { buyer, keyed, wish, admission };
    let answer = event.decide(command).await?;
    let Outcome::Hold(hold) = answer.outcome else { return Err(unexpected(&answer.outcome)) };
    let view = HoldView::of(&hold, event.id(), &event.terms(), answer.as_of);
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
    let event = desk.numbered(hold.event()).await?;
    let command = Command::ReadHold { buyer: buyer.clone(), hold };
    match event.decide(command).await {
        Ok(answer) => shown(&event, &answer),
        Err(problem) => {
            let record = in_rows(problem, orders.hold(hold, &buyer)).await?;
            Ok(private(HoldView::from(record)))
        }
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
    let event = desk.numbered(hold.event()).await?;
    let command = Command::ReleaseHold { buyer: buyer.clone(), hold };
    match event.decide(command).await {
        Ok(_) => {}
        Err(problem) => match in_rows(problem, orders.hold(hold, &buyer)).await?.status {
            HoldStatus::Released | HoldStatus::Expired => {}
            status @ (HoldStatus::Converted | HoldStatus::Active) => {
                return Err(refused(&Refusal::HoldNotActive(status), &event.terms()));
            }
        },
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
    let event = desk.numbered(hold.event()).await?;
    let part = item.part(&event.plan());
    let command = Command::GiveBack { buyer: buyer.clone(), hold, part };
    match event.decide(command).await {
        Ok(answer) => shown(&event, &answer),
        // What its owner has forgotten is over.
        Err(problem) => match in_rows(problem.clone(), orders.hold(hold, &buyer)).await?.status {
            HoldStatus::Active => Err(problem),
            status @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                Err(refused(&Refusal::HoldNotActive(status), &event.terms()))
            }
        },
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
    let view = |hold| HoldView::of(hold, event.id(), &event.terms(), answer.as_of);
    Ok(private(HoldListView {
        items: holds.iter().map(view).collect(),
        next_cursor: None,
        as_of: Instant(answer.as_of),
    }))
}

/// The hold of this answer.
fn shown(event: &EventDesk, answer: &Answer) -> Result<Response, Problem> {
    let Outcome::Hold(hold) = &answer.outcome else { return Err(unexpected(&answer.outcome)) };
    Ok(private(HoldView::of(hold, event.id(), &event.terms(), answer.as_of)))
}
