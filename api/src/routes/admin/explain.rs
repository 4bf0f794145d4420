//! What happened to a seat, a buyer, a hold or an order, from stored rows.

use axum::extract::State;
use axum::response::Response;
use taquilla_persistence::story::{ENTRIES_MAX, Stories};

use crate::desk::Desk;
use crate::forms::explain::ExplainQuery;
use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::private;
use crate::strict::{PathName, StrictQuery};
use crate::views::StoryView;

/// Tells the whole story of one of them, oldest first.
#[utoipa::path(
    get,
    path = "/admin/events/{event_id}/explain",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug"), ExplainQuery),
    responses((status = 200, body = StoryView), OperatorReadProblems)
)]
pub(crate) async fn explain_event(
    State(desk): State<Desk>,
    State(stories): State<Stories>,
    event: PathName,
    StrictQuery(query): StrictQuery<ExplainQuery>,
) -> Result<Response, Problem> {
    let (asked, after) = query.check()?;
    let event = desk.event(&event.reference()?).await?;
    let subject = asked.of(event.id().event(), &event.plan())?;
    let story = stories.tell(event.id().event(), &subject, after, ENTRIES_MAX).await;
    let story = story.map_err(|error| store_unavailable(&error))?;
    let story = story.ok_or_else(Problem::not_found)?;
    Ok(private(StoryView::of(story, &event.terms())))
}
