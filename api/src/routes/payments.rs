//! Paying: an attempt is opened here, and seen through by the payment workflow.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use taquilla_engine::answer::PauseReason;
use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::payment::{NewAttempt, Opened};
use taquilla_engine::refusal::Refusal;
use taquilla_engine::runtime::{OpenError, Payments};

use super::answered::made;
use crate::auth::Buyer;
use crate::desk::Desk;
use crate::forms::attempt::AttemptForm;
use crate::problem::documented::OpenAttemptProblems;
use crate::problem::{
    Problem, outcome_unknown, overloaded, paused, paused_by_operator, payments_closed, refused,
    table,
};
use crate::strict::{KeyedJson, PathName};
use crate::views::AttemptView;

/// Opens an attempt to pay an order, and answers before the provider has.
#[utoipa::path(
    post,
    path = "/orders/{order_id}/payments",
    tag = "orders",
    security(("bearer" = [])),
    params(("order_id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = AttemptForm,
    responses((status = 202, body = AttemptView), OpenAttemptProblems)
)]
pub(super) async fn open_attempt(
    State(desk): State<Desk>,
    State(payments): State<Arc<Payments>>,
    Buyer(buyer): Buyer,
    order: PathName,
    KeyedJson { body, keyed }: KeyedJson<AttemptForm>,
) -> Result<Response, Problem> {
    let method = body.check()?;
    let order = order.id(OrderId::parse)?;
    let event = desk.numbered(order.event()).await?;
    let new = NewAttempt {
        id: AttemptId::derive(order.event(), &buyer, &keyed.key),
        order,
        buyer,
        fingerprint: keyed.fingerprint,
        method,
        provider: payments.provider().to_owned(),
    };
    let opened = payments.open(new).await.map_err(|error| match error {
        OpenError::Overloaded => overloaded(),
        OpenError::Unavailable(error) => {
            tracing::warn!(%error, "no attempt was opened");
            paused(PauseReason::DatabaseUnavailable)
        }
        OpenError::Unknown(error) => {
            tracing::warn!(%error, "an attempt may have been opened");
            outcome_unknown()
        }
    })?;
    let (refusal, replayed) = match opened {
        Opened::Created(attempt) => {
            return Ok(made(StatusCode::ACCEPTED, None, false, AttemptView::from(attempt)));
        }
        Opened::Replayed(attempt) => {
            return Ok(made(StatusCode::ACCEPTED, None, true, AttemptView::from(attempt)));
        }
        Opened::KeyReused => (refused(&Refusal::KeyReused, &event.terms()), false),
        Opened::NotFound => (Problem::not_found(), false),
        Opened::PurchasesPaused(why) => (paused_by_operator(&why), false),
        Opened::PaymentsClosed => (payments_closed(), false),
        Opened::SaleNotOpen { opens_at, status } => {
            (refused(&Refusal::SaleNotOpen { opens_at, status }, &event.terms()), false)
        }
        Opened::HoldNotActive { status, replayed } => {
            (refused(&Refusal::HoldNotActive(status), &event.terms()), replayed)
        }
        Opened::OrderNotPayable { status, replayed } => {
            let detail = format!("the order is {status}, or its attempts are used up");
            let problem = Problem::new(&table::ORDER_NOT_PAYABLE, detail);
            (problem.with("order_status", status), replayed)
        }
    };
    Err(refusal.replayed(replayed))
}
