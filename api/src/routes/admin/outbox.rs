//! Who is told what happened, how far each is behind, and what came of what was posted.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use taquilla_engine::clock::Clock;

use crate::cursor::Cursor;
use crate::forms::deliveries::DeliveriesQuery;
use crate::forms::number::page_size;
use crate::instant::Instant;
use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::relay::Sinks;
use crate::routes::answered::private;
use crate::strict::{PathName, StrictQuery};
use crate::views::{DeliveryListView, DeliveryView, SinkListView, SinkView};

/// Every sink of the configuration, and what it has not been told yet.
#[utoipa::path(
    get,
    path = "/admin/outbox",
    tag = "operators",
    security(("bearer" = ["operator"])),
    responses((status = 200, body = SinkListView), OperatorReadProblems)
)]
pub(crate) async fn list_sinks(
    State(sinks): State<Arc<Sinks>>,
    State(clock): State<Arc<dyn Clock>>,
) -> Result<Response, Problem> {
    let lags = sinks.lags().await.map_err(|error| store_unavailable(&error))?;
    let items = lags.into_iter().map(|(name, lags)| SinkView::of(name, lags)).collect();
    Ok(private(SinkListView { items, next_cursor: None, as_of: Instant(clock.now()) }))
}

/// What was posted to an endpoint, the latest tries first.
#[utoipa::path(
    get,
    path = "/admin/outbox/{sink}/deliveries",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("sink" = String, Path, description = "An endpoint's name in the configuration"), DeliveriesQuery),
    responses((status = 200, body = DeliveryListView), OperatorReadProblems)
)]
pub(crate) async fn list_deliveries(
    State(sinks): State<Arc<Sinks>>,
    sink: PathName,
    StrictQuery(query): StrictQuery<DeliveriesQuery>,
) -> Result<Response, Problem> {
    let outcome = query.outcome()?;
    let sink = sinks.named(sink.as_str()).ok_or_else(Problem::not_found)?;
    let after = query.cursor.map(|cursor| cursor.0);
    let page = sinks.deliveries().list(&sink.name, outcome, after, page_size(query.limit)).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    Ok(private(DeliveryListView {
        items: page.items.into_iter().map(DeliveryView::from).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
    }))
}
