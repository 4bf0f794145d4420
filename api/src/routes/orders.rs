//! Orders: made, looked at, given up.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use taquilla_engine::answer::Outcome;
use taquilla_engine::clock::Clock;
use taquilla_engine::command::Command;
use taquilla_engine::id::{EventId, HoldId, OrderId};
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::Node;
use taquilla_persistence::mail::Contacts;
use taquilla_persistence::orders::{Orders, PublicStatus};

use super::answered::{PRIVATE, made, private};
use super::queue::AdmissionShown;
use crate::auth::{Buyer, Caller};
use crate::cursor::Cursor;
use crate::desk::{Desk, in_rows, unexpected};
use crate::forms::number::page_size;
use crate::forms::order::{OrderForm, OrderQuery, OrdersQuery};
use crate::instant::Instant;
use crate::mail::keep_contact;
use crate::order_watch::{self, Wait};
use crate::problem::documented::{BuyerReadProblems, CancelOrderProblems, PlaceOrderProblems};
use crate::problem::{Problem, read_back, refused, store_unavailable};
use crate::strict::{KeyedJson, PathName, StrictQuery};
use crate::tickets::TicketSigner;
use crate::views::{OrderListView, OrderView, TicketView};

/// Makes the order of a hold, or finds the one that there is.
#[utoipa::path(
    post,
    path = "/orders",
    tag = "orders",
    security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header), ("Admission-Token" = Option<String>, Header)),
    request_body = OrderForm,
    responses(
        (status = 201, body = OrderView),
        (status = 200, body = OrderView, description = "The hold had this order already"),
        PlaceOrderProblems
    )
)]
pub(super) async fn place_order(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    State(signer): State<Arc<TicketSigner>>,
    State(contacts): State<Option<Contacts>>,
    caller: Caller,
    shown: AdmissionShown,
    KeyedJson { body, keyed }: KeyedJson<OrderForm>,
) -> Result<Response, Problem> {
    let hold = HoldId::parse(body.hold_id).ok_or_else(Problem::not_found)?;
    keep_contact(contacts.as_ref(), &caller).await;
    let buyer = caller.buyer;
    let event = desk.numbered(hold.event()).await?;
    let admission = shown.at(&event, &buyer).await?;
    let command = Command::PlaceOrder { buyer: buyer.clone(), keyed, hold, admission };
    let (order, created, replayed) = match event.decide(command).await {
        Ok(answer) => match answer.outcome {
            Outcome::Order { order, created, .. } => (order.id, created, answer.replayed),
            other => return Err(unexpected(&other)),
        },
        Err(problem) => {
            let record = in_rows(problem, orders.hold(hold, &buyer)).await?;
            let ended = || refused(&Refusal::HoldNotActive(record.status), &event.terms());
            (record.order.ok_or_else(ended)?, false, false)
        }
    };
    // It is durable by now; what cannot be read is told under the same key later.
    let record = read_back(orders.order(order, &buyer).await)?;
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    let location = created.then(|| format!("/orders/{order}"));
    Ok(made(status, location, replayed, OrderView::of(record, &signer)))
}

/// The caller's orders, newest first.
#[utoipa::path(
    get,
    path = "/orders",
    tag = "orders",
    security(("bearer" = [])),
    params(OrdersQuery),
    responses((status = 200, body = OrderListView), BuyerReadProblems)
)]
pub(super) async fn list_orders(
    State(orders): State<Orders>,
    State(signer): State<Arc<TicketSigner>>,
    State(clock): State<Arc<dyn Clock>>,
    Buyer(buyer): Buyer,
    StrictQuery(query): StrictQuery<OrdersQuery>,
) -> Result<Response, Problem> {
    let event = query.event_id.map(|id| EventId::parse(id).ok_or_else(Problem::not_found));
    let event = event.transpose()?.map(EventId::event);
    let after = query.cursor.map(|cursor| cursor.0);
    let page = orders.list(&buyer, event, after, page_size(query.limit)).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    Ok(private(OrderListView {
        items: page.items.into_iter().map(|order| OrderView::of(order, &signer)).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
        as_of: Instant(clock.now()),
    }))
}

/// One of the caller's orders; with `wait_seconds`, on its next change.
#[utoipa::path(
    get,
    path = "/orders/{order_id}",
    tag = "orders",
    security(("bearer" = [])),
    params(("order_id" = String, Path), OrderQuery),
    responses((status = 200, body = OrderView), BuyerReadProblems)
)]
pub(super) async fn show_order(
    State(node): State<Arc<Node>>,
    State(orders): State<Orders>,
    State(signer): State<Arc<TicketSigner>>,
    wait: Wait,
    Buyer(buyer): Buyer,
    order: PathName,
    StrictQuery(query): StrictQuery<OrderQuery>,
) -> Result<Response, Problem> {
    let order = order.id(OrderId::parse)?;
    let wait_seconds = query.wait_seconds.map_or(0, |seconds| seconds.0);
    let bells = node.bells();
    let record = order_watch::read(&orders, bells, order, &buyer, wait_seconds, &wait).await?;
    Ok(private(OrderView::of(record, &signer)))
}

/// Gives an order up, its hold with it. Again: the same answer.
#[utoipa::path(
    delete,
    path = "/orders/{order_id}",
    tag = "orders",
    security(("bearer" = [])),
    params(("order_id" = String, Path)),
    responses((status = 204), CancelOrderProblems)
)]
pub(super) async fn cancel_order(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    Buyer(buyer): Buyer,
    order: PathName,
) -> Result<Response, Problem> {
    let order = order.id(OrderId::parse)?;
    let event = desk.numbered(order.event()).await?;
    let command = Command::CancelOrder { buyer: buyer.clone(), order };
    match event.decide(command).await {
        Ok(_) => {}
        Err(problem) => {
            let record = in_rows(problem, orders.order(order, &buyer)).await?;
            if is_confirmed(record.status) {
                return Err(refused(&Refusal::OrderNotCancellable, &event.terms()));
            }
        }
    }
    Ok((StatusCode::NO_CONTENT, [PRIVATE]).into_response())
}

/// The tickets of one of the caller's orders, with the codes that are scanned.
#[utoipa::path(
    get,
    path = "/orders/{order_id}/tickets",
    tag = "orders",
    security(("bearer" = [])),
    params(("order_id" = String, Path)),
    responses((status = 200, body = [TicketView]), BuyerReadProblems)
)]
pub(super) async fn list_tickets(
    State(orders): State<Orders>,
    State(signer): State<Arc<TicketSigner>>,
    Buyer(buyer): Buyer,
    order: PathName,
) -> Result<Response, Problem> {
    let order = orders.order(order.id(OrderId::parse)?, &buyer).await;
    let order = order.map_err(|error| store_unavailable(&error))?.ok_or_else(Problem::not_found)?;
    let ticket = |ticket| TicketView::of(ticket, order.event, &signer);
    Ok(private(order.tickets.into_iter().map(ticket).collect::<Vec<_>>()))
}

/// Whether the order's seats are sold.
fn is_confirmed(status: PublicStatus) -> bool {
    match status {
        PublicStatus::Confirmed
        | PublicStatus::Captured
        | PublicStatus::Refunded
        | PublicStatus::CaptureFailed => true,
        PublicStatus::PendingPayment
        | PublicStatus::Authorizing
        | PublicStatus::Verifying
        | PublicStatus::Declined
        | PublicStatus::Expired
        | PublicStatus::Cancelled
        | PublicStatus::Voided => false,
    }
}
