//! Venues: made with their seating plan, and listed.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use taquilla_persistence::catalogue::{Catalogue, NewVenue};
use uuid::Uuid;

use super::{deed, not_created};
use crate::auth::Operator;
use crate::cursor::Cursor;
use crate::forms::number::page_size;
use crate::forms::venue::{Refused, VenueForm, VenueSchema, VenuesQuery};
use crate::plans::BYTES_MAX;
use crate::problem::documented::{CreateVenueProblems, OperatorReadProblems};
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::{made, private};
use crate::strict::{JsonText, StrictQuery};
use crate::turns::{Turn, TurnBounds, Turns, apart};
use crate::views::{ListedVenueView, VenueListView, VenueView};

/// Makes a venue.
#[utoipa::path(
    post,
    path = "/admin/venues",
    tag = "operators",
    security(("bearer" = ["operator"])),
    request_body = VenueSchema,
    responses((status = 201, body = VenueView), CreateVenueProblems)
)]
pub(crate) async fn create_venue(
    State(catalogue): State<Catalogue>,
    Extension(turns): Extension<PlanTurns>,
    operator: Operator,
    request: Request,
) -> Result<Response, Problem> {
    let new = {
        let turn = turns.take().await?;
        let JsonText(body) = JsonText::<BYTES_MAX>::from_request(request, &()).await?;
        read_venue(body, turn).await?
    };
    let venue = catalogue.create_venue(&new, &deed(operator)).await.map_err(not_created)?;
    Ok(made(StatusCode::CREATED, None, false, VenueView::from(venue)))
}

/// All venues, newest first.
#[utoipa::path(
    get,
    path = "/admin/venues",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(VenuesQuery),
    responses((status = 200, body = VenueListView), OperatorReadProblems)
)]
pub(crate) async fn list_venues(
    State(catalogue): State<Catalogue>,
    StrictQuery(query): StrictQuery<VenuesQuery>,
) -> Result<Response, Problem> {
    let after = query.cursor.map(|cursor| cursor.0);
    let page = catalogue.venues(after, page_size(query.limit)).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    Ok(private(VenueListView {
        items: page.items.into_iter().map(ListedVenueView::from).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
    }))
}

/// Whose turn it is to read a plan. A large one takes a few times its size while it is read: one at a
/// time, from the first byte on.
#[derive(Clone)]
pub(crate) struct PlanTurns(Arc<Turns<()>>);

impl Default for PlanTurns {
    fn default() -> Self {
        // A body takes twenty seconds at the most, and its reading a few.
        let patience = Duration::from_secs(30);
        Self(Arc::new(Turns::new(TurnBounds { keys_max: 1, queue_max: 8, patience })))
    }
}

impl PlanTurns {
    pub(super) async fn take(&self) -> Result<Turn<()>, Problem> {
        self.0.take(()).await
    }
}

/// The venue, read away from the threads that serve requests.
async fn read_venue(body: Bytes, turn: Turn<()>) -> Result<NewVenue, Problem> {
    let read = move || -> Result<NewVenue, Refused> {
        let form = VenueForm::read(&body).map_err(|error| Refused::Form(vec![error].into()))?;
        form.check(Uuid::new_v4())
    };
    let (venue, _turn) = apart(turn, read).await.expect("reading a plan does not panic");
    Ok(venue?)
}
