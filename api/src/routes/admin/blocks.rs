//! Seats taken off sale, and put back.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;
use taquilla_engine::answer::Outcome;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Asked, operate};
use crate::auth::Operator;
use crate::desk::{Desk, unexpected};
use crate::forms::blocks::BlocksForm;
use crate::instant::Instant;
use crate::problem::Problem;
use crate::problem::documented::ChangeEventProblems;
use crate::routes::answered::private;
use crate::strict::{PathName, StrictJson};

/// What is blocked now.
#[derive(Serialize, ToSchema)]
#[schema(as = Blocked)]
pub(crate) struct BlockedView {
    event_id: Uuid,
    /// Seats of the event that are not for sale.
    blocked: u32,
    /// The seats asked for that are blocked now, by their labels.
    block: Vec<String>,
    /// The seats asked for that are free of a block now.
    unblock: Vec<String>,
    /// The server's time.
    as_of: Instant,
}

/// Blocks seats and unblocks others, all of it or nothing. Idempotent.
#[utoipa::path(
    post,
    path = "/admin/events/{event_id}/blocks",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug")),
    request_body = BlocksForm,
    responses((status = 200, body = BlockedView), ChangeEventProblems)
)]
pub(crate) async fn block_seats(
    State(desk): State<Desk>,
    operator: Operator,
    event: PathName,
    StrictJson(form): StrictJson<BlocksForm>,
) -> Result<Response, Problem> {
    form.check()?;
    let event = desk.event(&event.reference()?).await?;
    let change = form.at(&event.plan())?;
    let BlocksForm { block, unblock, reason } = form;
    let detail = json!({"block": block, "unblock": unblock});
    let asked = Asked { what: "block_seats", why: &reason, detail };
    let answer = operate(&event, operator, asked, change).await?;
    let Outcome::Operated(done) = answer.outcome else { return Err(unexpected(&answer.outcome)) };
    Ok(private(BlockedView {
        event_id: event.id().uuid(),
        blocked: done.blocked,
        block,
        unblock,
        as_of: Instant(answer.as_of),
    }))
}
