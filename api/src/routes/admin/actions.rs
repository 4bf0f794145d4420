//! The trail: what operators did.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use taquilla_persistence::operator_action::{ActionRecord, Trail};
use utoipa::ToSchema;
use uuid::Uuid;

use super::event_number;
use crate::cursor::Cursor;
use crate::desk::Desk;
use crate::forms::number::page_size;
use crate::forms::trail::ActionsQuery;
use crate::instant::Instant;
use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::routes::answered::private;
use crate::strict::StrictQuery;

/// What operators did, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = ActionList)]
pub(crate) struct ActionListView {
    /// At most `limit`.
    items: Vec<ActionView>,
    /// For `cursor`; null on the last page.
    next_cursor: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Action)]
struct ActionView {
    action_id: Uuid,
    /// To which event; null for what is of none.
    event_id: Option<Uuid>,
    at: Instant,
    who: String,
    what: String,
    why: String,
    /// What was asked.
    #[schema(value_type = Object)]
    detail: serde_json::Value,
}

impl From<ActionRecord> for ActionView {
    fn from(action: ActionRecord) -> Self {
        let ActionRecord { id, event, at, who, what, why, detail } = action;
        let event_id = event.map(|event| event.uuid());
        Self { action_id: id, event_id, at: Instant(at), who, what, why, detail }
    }
}

/// What operators did, newest first.
#[utoipa::path(
    get,
    path = "/admin/actions",
    tag = "operators",
    security(("bearer" = ["operator"])),
    params(ActionsQuery),
    responses((status = 200, body = ActionListView), OperatorReadProblems)
)]
pub(crate) async fn list_actions(
    State(desk): State<Desk>,
    State(trail): State<Trail>,
    StrictQuery(query): StrictQuery<ActionsQuery>,
) -> Result<Response, Problem> {
    let event = event_number(&desk, query.event_id.as_deref()).await?;
    let after = query.cursor.map(|cursor| cursor.0);
    let page = trail.list(event, after, page_size(query.limit)).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    Ok(private(ActionListView {
        items: page.items.into_iter().map(ActionView::from).collect(),
        next_cursor: page.next.map(|position| Cursor(position).to_text()),
    }))
}
