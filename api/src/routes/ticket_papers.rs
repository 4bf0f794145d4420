//! The tickets of an order to print or to carry on a phone.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{FromRef, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use taquilla_engine::id::OrderId;
use taquilla_persistence::orders::Orders;
use utoipa::IntoParams;

use super::answered::PRIVATE;
use crate::app::Shared;
use crate::auth::Buyer;
use crate::forms::number::Whole;
use crate::problem::documented::BuyerReadProblems;
use crate::problem::{Problem, store_unavailable, table};
use crate::strict::{PathName, StrictQuery};
use crate::tickets::{Press, print};
use crate::turns::{TurnBounds, Turns, apart};

const PDF: HeaderValue = HeaderValue::from_static("application/pdf");
const SHOWN: HeaderValue = HeaderValue::from_static("inline; filename=\"tickets.pdf\"");

/// Whose turn it is to print: one at a time, so that printing takes one core at the most.
#[derive(Clone)]
pub(super) struct PrintTurns(Arc<Turns<()>>);

impl Default for PrintTurns {
    fn default() -> Self {
        let patience = Duration::from_secs(5);
        Self(Arc::new(Turns::new(TurnBounds { keys_max: 1, queue_max: 64, patience })))
    }
}

impl FromRef<Shared> for Press {
    fn from_ref(Shared(app): &Shared) -> Self {
        Self::of(app)
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PapersQuery {
    /// The ticket that is printed first: 1 to 1,000, and 1 unless said. A file has 200 pages at most.
    #[param(value_type = Option<u16>)]
    from: Option<Whole<1, 1_000>>,
}

/// The tickets of one of the caller's orders as a PDF, a page for each that lets somebody in or has,
/// with its code as a QR code. `not-found` where there is none.
#[utoipa::path(
    get,
    path = "/orders/{order_id}/tickets.pdf",
    tag = "orders",
    security(("bearer" = [])),
    params(("order_id" = String, Path), PapersQuery),
    responses(
        (status = 200, content((Vec<u8> = "application/pdf"))),
        BuyerReadProblems
    )
)]
pub(super) async fn print_tickets(
    State(orders): State<Orders>,
    State(press): State<Press>,
    Extension(turns): Extension<PrintTurns>,
    Buyer(buyer): Buyer,
    order: PathName,
    StrictQuery(query): StrictQuery<PapersQuery>,
) -> Result<Response, Problem> {
    let order = orders.order(order.id(OrderId::parse)?, &buyer).await;
    let order = order.map_err(|error| store_unavailable(&error))?.ok_or_else(Problem::not_found)?;
    let before = query.from.map_or(0, |from| usize::try_from(from.0 - 1).unwrap_or(usize::MAX));
    let paper = press.paper(&order, before).await?.ok_or_else(Problem::not_found)?;
    if paper.tickets.is_empty() {
        return Err(Problem::new(&table::NOT_FOUND, "the order has no tickets to print"));
    }
    let turn = turns.0.take(()).await?;
    let (pdf, _turn) = apart(turn, move || print(&paper)).await.expect("printing does not panic");
    Ok(([PRIVATE, (CONTENT_TYPE, PDF), (CONTENT_DISPOSITION, SHOWN)], pdf).into_response())
}
