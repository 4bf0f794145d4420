//! Seating plans of a venue that is there: its halls, and their versions.

use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use taquilla_persistence::catalogue::{Catalogue, NewPlan, SeatGeometry, SeatingPlan};
use uuid::Uuid;

use super::venues::PlanTurns;
use super::{deed, not_created};
use crate::auth::Operator;
use crate::forms::hall_plan::{HallPlan, HallPlanSchema};
use crate::forms::venue::Refused;
use crate::plans::succession::{Before, succeed};
use crate::plans::{BYTES_MAX, Defect, Plan};
use crate::problem::documented::{CreatePlanProblems, OperatorReadProblems};
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::{made, private};
use crate::strict::{JsonText, PathName};
use crate::turns::apart;
use crate::views::{MadePlanView, VenueHallsView};

/// Makes a new hall's plan, or the next version of a hall's. Seats, sections and categories keep their places over
/// all versions of a hall. No event changes by it.
#[utoipa::path(
    post,
    path = "/admin/venues/{venue_id}/plans",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("venue_id" = String, Path, description = "Id or slug")),
    request_body = HallPlanSchema,
    responses((status = 201, body = MadePlanView), CreatePlanProblems)
)]
pub(crate) async fn create_plan(
    State(catalogue): State<Catalogue>,
    Extension(turns): Extension<PlanTurns>,
    operator: Operator,
    venue: PathName,
    request: Request,
) -> Result<Response, Problem> {
    let turn = turns.take().await?;
    let JsonText(body) = JsonText::<BYTES_MAX>::from_request(request, &()).await?;
    let read = move || HallPlan::read(&body);
    let (form, turn) = apart(turn, read).await.expect("reading a plan does not panic");
    let form = form?;
    let venue = venue.reference()?;
    let plans = catalogue.venue_plans(&venue).await.map_err(|error| store_unavailable(&error))?;
    let id = plans.first().ok_or_else(Problem::not_found)?.id;
    let (hall, before) = form.hall(plans)?;
    let plan = form.plan.map_err(Refused::Plan)?;
    let version = before.as_ref().map_or(1, |before| before.version + 1);
    let (plan, _turn) = match before {
        None => (plan, turn),
        Some(before) => {
            let seats = catalogue.seat_geometry(before.id).await;
            let seats = seats.map_err(|error| store_unavailable(&error))?;
            let placed = apart(turn, move || follow(plan, &before, &seats)).await;
            let (plan, turn) = placed.expect("placing seats does not panic");
            (plan.map_err(Refused::Plan)?, turn)
        }
    };
    let Plan { categories, sections } = plan;
    let new = NewPlan { id: Uuid::new_v4(), venue: id, hall, version, categories, sections };
    let made_plan = catalogue.create_plan(&new, &deed(operator)).await.map_err(not_created)?;
    Ok(made(StatusCode::CREATED, None, false, MadePlanView::of(id, &made_plan)))
}

fn follow(plan: Plan, before: &SeatingPlan, seats: &[SeatGeometry]) -> Result<Plan, Vec<Defect>> {
    succeed(plan, Before { plan: before, seats })
}

/// A venue with its halls, and every version of their plans.
#[utoipa::path(
    get,
    path = "/admin/venues/{venue_id}",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("venue_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = VenueHallsView), OperatorReadProblems)
)]
pub(crate) async fn show_venue(
    State(catalogue): State<Catalogue>,
    venue: PathName,
) -> Result<Response, Problem> {
    let plans = catalogue.venue_plans(&venue.reference()?).await;
    let plans = plans.map_err(|error| store_unavailable(&error))?;
    Ok(private(VenueHallsView::of(plans).ok_or_else(Problem::not_found)?))
}
