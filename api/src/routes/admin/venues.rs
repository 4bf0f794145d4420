//! Venues: made with their seating plan.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use taquilla_persistence::catalogue::Catalogue;
use uuid::Uuid;

use super::{deed, not_created};
use crate::auth::Operator;
use crate::forms::venue::VenueForm;
use crate::problem::Problem;
use crate::problem::documented::CreateVenueProblems;
use crate::routes::answered::made;
use crate::strict::StrictJson;
use crate::views::VenueView;

/// Makes a venue.
#[utoipa::path(
    post,
    path = "/admin/venues",
    tag = "operators",
    security(("bearer" = ["operator"])),
    request_body = VenueForm,
    responses((status = 201, body = VenueView), CreateVenueProblems)
)]
pub(crate) async fn create_venue(
    State(catalogue): State<Catalogue>,
    operator: Operator,
    StrictJson(form): StrictJson<VenueForm>,
) -> Result<Response, Problem> {
    let new = form.check(Uuid::new_v4())?;
    let venue = catalogue.create_venue(&new, &deed(operator)).await.map_err(not_created)?;
    Ok(made(StatusCode::CREATED, None, false, VenueView::from(venue)))
}
