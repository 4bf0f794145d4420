//! Sold tickets taken back, and their money owed.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use taquilla_engine::command::Command;
use taquilla_engine::id::{OrderId, RefundId};
use taquilla_engine::operation::Deed;
use taquilla_engine::refund::{Cause, TicketReturn};
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::Payments;
use taquilla_persistence::orders::Orders;
use uuid::Uuid;

use crate::auth::Operator;
use crate::desk::Desk;
use crate::forms::refund::RefundForm;
use crate::problem::documented::RefundProblems;
use crate::problem::{Problem, read_back, refused, store_unavailable};
use crate::routes::answered::made;
use crate::strict::{KeyedJson, PathName};
use crate::views::RefundView;

/// Takes tickets of a confirmed order back: they are void at once, their seats for sale again, and their
/// share of the total is owed. All of those named, or none.
#[utoipa::path(
    post,
    path = "/admin/orders/{order_id}/refunds",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("order_id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = RefundForm,
    responses((status = 202, body = RefundView), RefundProblems)
)]
pub(crate) async fn refund_order(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    State(payments): State<Arc<Payments>>,
    operator: Operator,
    order: PathName,
    KeyedJson { body, keyed }: KeyedJson<RefundForm>,
) -> Result<Response, Problem> {
    let tickets = body.check()?;
    let order = order.id(OrderId::parse)?;
    let event = desk.numbered(order.event()).await?;
    // Its owner may have forgotten it: an order can be given back for as long as there are rows.
    let rows = orders.sold(order).await.map_err(|error| store_unavailable(&error))?;
    let rows = rows.ok_or_else(Problem::not_found)?;
    let refund = RefundId::derive(order.event(), &operator.0, &keyed.key);
    let known = orders.refund(refund).await.map_err(|error| store_unavailable(&error))?;
    if known.is_some_and(|known| known.order != order) {
        return Err(refused(&Refusal::KeyReused, &event.terms()));
    }
    let detail =
        json!({"order_id": order.uuid(), "refund_id": refund.uuid(), "tickets": body.tickets});
    let deed = Deed {
        id: Uuid::new_v4(),
        who: operator.0.as_str().into(),
        what: "refund_tickets",
        why: body.reason.as_str().into(),
        detail: detail.to_string().into(),
    };
    let asked = TicketReturn {
        refund,
        fingerprint: keyed.fingerprint,
        order,
        buyer: rows.hold.buyer.clone(),
        tickets,
        cause: Cause::Refund,
        reason: body.reason.into(),
        who: operator.0.into(),
        deed: Some(deed),
        rows: Some(Box::new(rows)),
    };
    let answer = event.decide(Command::ReturnTickets(Box::new(asked))).await?;
    payments.refund_is_due();
    // It is durable by now; what cannot be read is told under the same key later.
    let record = read_back(orders.refund(refund).await)?;
    Ok(made(StatusCode::ACCEPTED, None, answer.replayed, RefundView::from(record)))
}
