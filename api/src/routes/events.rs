//! Events as buyers look for them and at them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use taquilla_engine::clock::Clock;
use taquilla_engine::event::Availability;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::Node;
use taquilla_persistence::catalogue::{Catalogue, EventRecord};

use crate::cursor::Cursor;
use crate::forms::event_query::EventQuery;
use crate::instant::Instant;
use crate::listings::Listings;
use crate::problem::Problem;
use crate::problem::documented::{PublicListProblems, PublicReadProblems};
use crate::strict::{PathName, StrictQuery};
use crate::views::{EventListView, EventSummaryView, EventView};

/// Events, soonest first unless said.
#[utoipa::path(
    get,
    path = "/events",
    tag = "events",
    params(EventQuery),
    responses((status = 200, body = EventListView), PublicListProblems)
)]
pub(super) async fn list_events(
    State(listings): State<Arc<Listings>>,
    State(node): State<Arc<Node>>,
    State(clock): State<Arc<dyn Clock>>,
    StrictQuery(query): StrictQuery<EventQuery>,
) -> Result<Json<EventListView>, Problem> {
    Ok(Json(event_list(&listings, &node, clock.now(), query).await?))
}

/// The page of the list that the query asks for.
pub(super) async fn event_list(
    listings: &Listings,
    node: &Node,
    now: Moment,
    query: EventQuery,
) -> Result<EventListView, Problem> {
    let (search, after, limit) = query.check()?;
    // Before the search: what it finds is as of then, or newer.
    let as_of = listings.as_of();
    let page = listings.list(search, after, limit).await?;
    let view = |event: &Arc<EventRecord>| {
        EventSummaryView::of(event, live_map(node, event).as_deref(), now)
    };
    Ok(EventListView {
        items: page.items.iter().map(view).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
        as_of: Instant(as_of),
    })
}

/// One event, by id or slug.
#[utoipa::path(
    get,
    path = "/events/{event_id}",
    tag = "events",
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = EventView), PublicReadProblems)
)]
pub(super) async fn show_event(
    State(listings): State<Arc<Listings>>,
    State(catalogue): State<Catalogue>,
    State(node): State<Arc<Node>>,
    State(clock): State<Arc<dyn Clock>>,
    event: PathName,
) -> Result<Json<EventView>, Problem> {
    let event = listings.find(&catalogue, &event.reference()?).await?;
    let event = event.ok_or_else(Problem::not_found)?;
    let (map, known_at) = (live_map(&node, &event), listings.known_at(&event));
    Ok(Json(EventView::of(&event, map.as_deref(), known_at, clock.now())))
}

/// The event's latest map, if this process owns it.
fn live_map(node: &Node, event: &EventRecord) -> Option<Arc<Availability>> {
    node.event(event.summary.id.event()).map(|event| event.availability())
}
