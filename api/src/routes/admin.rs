//! What operators do. Each deed leaves a row that says who did it.

pub(super) mod audits;
pub(super) mod events;
pub(super) mod explain;
pub(super) mod venues;

use taquilla_persistence::catalogue::CreateError;
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::pool::TransactionError;
use uuid::Uuid;

use crate::auth::Operator;
use crate::problem::{Problem, outcome_unknown, store_unavailable, table};

/// The trail's row for what this operator does now.
fn deed(operator: Operator) -> OperatorAction {
    OperatorAction { id: Uuid::new_v4(), who: operator.0, why: String::new() }
}

/// Why nothing was made, or perhaps was.
fn not_created(error: CreateError) -> Problem {
    match error {
        CreateError::SlugTaken => Problem::new(&table::ALREADY_EXISTS, "the slug is taken"),
        CreateError::Database(
            error @ (DatabaseError::TimedOut(_)
            | DatabaseError::Transaction(TransactionError::Unknown(_))),
        ) => {
            tracing::warn!(%error, "it is not known whether something was made");
            outcome_unknown()
        }
        CreateError::Database(
            error @ (DatabaseError::Read(_)
            | DatabaseError::Broken(_)
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::RolledBack(_),
            )),
        ) => store_unavailable(&error),
    }
}
