//! Everybody's orders.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use taquilla_persistence::orders::{OrderFilter, Orders};

use super::event_number;
use crate::cursor::Cursor;
use crate::desk::Desk;
use crate::forms::number::page_size;
use crate::forms::trail::AllOrdersQuery;
use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::private;
use crate::strict::StrictQuery;
use crate::tickets::TicketSigner;
use crate::views::{AllOrdersView, BuyersOrderView};

/// Everybody's orders, newest first. A page of a status may be short and not be the last:
/// `next_cursor` tells.
#[utoipa::path(
    get,
    path = "/admin/orders",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(AllOrdersQuery),
    responses((status = 200, body = AllOrdersView), OperatorReadProblems)
)]
pub(crate) async fn list_all_orders(
    State(desk): State<Desk>,
    State(orders): State<Orders>,
    State(signer): State<Arc<TicketSigner>>,
    StrictQuery(query): StrictQuery<AllOrdersQuery>,
) -> Result<Response, Problem> {
    let filter = query.check()?;
    let event = event_number(&desk, query.event_id.as_deref()).await?;
    let filter = OrderFilter { event, ..filter };
    let after = query.cursor.map(|cursor| cursor.0);
    let page = orders.list_all(&filter, after, page_size(query.limit)).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    Ok(private(AllOrdersView {
        items: page.items.into_iter().map(|it| BuyersOrderView::of(it, &signer)).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
    }))
}
