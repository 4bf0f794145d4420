//! Events: made, on sale by their own clock, and listed.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use taquilla_engine::clock::Clock;
use taquilla_engine::runtime::Node;
use taquilla_persistence::catalogue::{Catalogue, Reference};

use super::{deed, not_created};
use crate::auth::Operator;
use crate::desk::OWNER_WAIT_MAX;
use crate::forms::event::EventForm;
use crate::forms::event_query::EventQuery;
use crate::listings::Listings;
use crate::problem::documented::{CreateEventProblems, OperatorReadProblems};
use crate::problem::{Problem, read_back, store_unavailable};
use crate::routes::answered::{made, private};
use crate::routes::events::event_list;
use crate::strict::{StrictJson, StrictQuery};
use crate::views::{EventListView, OperatorsEventView};

/// Makes an event of the latest plan of a venue's hall, and takes it over.
#[utoipa::path(
    post,
    path = "/admin/events",
    tag = "operators",
    security(("bearer" = ["operator"])),
    request_body = EventForm,
    responses((status = 201, body = OperatorsEventView), CreateEventProblems)
)]
pub(crate) async fn create_event(
    State(catalogue): State<Catalogue>,
    State(listings): State<Arc<Listings>>,
    State(node): State<Arc<Node>>,
    State(clock): State<Arc<dyn Clock>>,
    operator: Operator,
    StrictJson(form): StrictJson<EventForm>,
) -> Result<Response, Problem> {
    let venue = Reference::Id(form.venue_id);
    let checked = form.check(rand::random(), clock.now())?;
    let plans = catalogue.venue_plans(&venue).await.map_err(|error| store_unavailable(&error))?;
    let venue = checked.hall(plans)?;
    let new = checked.at(&venue)?;
    let created = catalogue.create_event(&venue, &new, &deed(operator)).await;
    let event = created.map_err(not_created)?;
    // That it exists is no longer in doubt. Whatever cannot be read back now is read, and the event taken
    // over, when somebody asks for it.
    if let Ok(terms) = read_back(catalogue.event_terms(event.event()).await) {
        node.open(terms).started(OWNER_WAIT_MAX).await;
    }
    let listed = read_back(listings.read(&catalogue, &Reference::Id(event.uuid())).await)?;
    let view = OperatorsEventView::of(&listed, None, listed.summary.as_of, clock.now());
    Ok(made(StatusCode::CREATED, Some(format!("/events/{event}")), false, view))
}

/// All events, soonest first.
#[utoipa::path(
    get,
    path = "/admin/events",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(EventQuery),
    responses((status = 200, body = EventListView), OperatorReadProblems)
)]
pub(crate) async fn list_events(
    State(listings): State<Arc<Listings>>,
    State(node): State<Arc<Node>>,
    State(clock): State<Arc<dyn Clock>>,
    StrictQuery(query): StrictQuery<EventQuery>,
) -> Result<Response, Problem> {
    Ok(private(event_list(&listings, &node, clock.now(), query).await?))
}
