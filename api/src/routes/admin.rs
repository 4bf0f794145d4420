//! What operators do. Each deed leaves a row that says who did it.

pub(super) mod actions;
pub(super) mod admission;
pub(super) mod audits;
pub(super) mod blocks;
pub(super) mod cancellations;
pub(super) mod event_changes;
pub(super) mod event_moves;
pub(super) mod events;
pub(super) mod explain;
pub(super) mod orders;
pub(super) mod outbox;
pub(super) mod plans;
pub(super) mod purchases;
pub(super) mod reconciliation;
pub(super) mod refunds;
pub(super) mod revocations;
pub(super) mod tickets;
pub(super) mod venues;

use std::sync::Arc;

use serde_json::Value;
use taquilla_engine::answer::Answer;
use taquilla_engine::command::Command;
use taquilla_engine::id::EventNumber;
use taquilla_engine::operation::{Deed, EventChange, Operation};
use taquilla_persistence::catalogue::{Catalogue, CreateError, EventRecord, Reference};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::pool::TransactionError;
use uuid::Uuid;

use crate::auth::Operator;
use crate::desk::{Desk, EventDesk};
use crate::listings::Listings;
use crate::problem::{Problem, outcome_unknown, read_back, store_unavailable, table};
use crate::slug;

/// The trail's row for what this operator does now.
fn deed(operator: Operator) -> OperatorAction {
    OperatorAction { id: Uuid::new_v4(), who: operator.0, why: String::new() }
}

/// What the trail is told of an operator's change.
struct Asked<'a> {
    what: &'static str,
    why: &'a str,
    detail: Value,
}

/// Has an event's owner decide an operator's change; the trail's row is written with it.
async fn operate(
    event: &EventDesk,
    operator: Operator,
    asked: Asked<'_>,
    change: EventChange,
) -> Result<Answer, Problem> {
    let Asked { what, why, detail } = asked;
    let (id, detail) = (Uuid::new_v4(), detail.to_string().into());
    let deed = Deed { id, who: operator.0.into(), what, why: why.into(), detail };
    event.decide(Command::Operate(Box::new(Operation { deed, change }))).await
}

/// The same; with the answer, the event as it is listed from then on.
async fn operate_and_read(
    catalogue: &Catalogue,
    listings: &Listings,
    event: &EventDesk,
    operator: Operator,
    asked: Asked<'_>,
    change: EventChange,
) -> Result<(Arc<EventRecord>, Answer), Problem> {
    let answer = operate(event, operator, asked, change).await?;
    let name = Reference::Id(event.id().uuid());
    let listed = read_back(listings.read(catalogue, &name).await)?;
    Ok((listed, answer))
}

/// The number of the event of this id or slug, if one is named.
async fn event_number(desk: &Desk, name: Option<&str>) -> Result<Option<EventNumber>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let event = slug::reference(name).ok_or_else(Problem::not_found)?;
    let event = desk.event(&event).await?;
    Ok(Some(event.id().event()))
}

/// Why nothing was made, or perhaps was.
fn not_created(error: CreateError) -> Problem {
    match error {
        CreateError::SlugTaken => Problem::new(&table::ALREADY_EXISTS, "the slug is taken"),
        CreateError::VersionTaken => {
            let detail =
                "somebody has made a version of this hall meanwhile: look at it, and ask again";
            Problem::new(&table::ALREADY_EXISTS, detail)
        }
        CreateError::Database(error) => not_written(error),
    }
}

/// Why nothing was written, or perhaps was.
fn not_written(error: DatabaseError) -> Problem {
    match error {
        error @ (DatabaseError::TimedOut(_)
        | DatabaseError::Transaction(TransactionError::Unknown(_))) => {
            tracing::warn!(%error, "it is not known whether something was written");
            outcome_unknown()
        }
        error @ (DatabaseError::Overloaded
        | DatabaseError::Read(_)
        | DatabaseError::Broken(_)
        | DatabaseError::Transaction(
            TransactionError::NotStarted(_) | TransactionError::RolledBack(_),
        )) => store_unavailable(&error),
    }
}
