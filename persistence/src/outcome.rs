//! Reading errors: was it a no, or does nobody know?

use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

/// The words of an error and of all its sources, outermost first: where a person reads them, and for errors
/// of the engine's, which are one text.
#[must_use]
pub fn in_full(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        words = format!("{words}: {error}");
        source = error.source();
    }
    words
}

/// The server refused the statement and the session goes on: nothing of it stands.
///
/// Only a server's ERROR says so. A lost connection says nothing, and a FATAL may come after the
/// commit: `pg_terminate_backend` ends a wait for the standby with the row already written.
pub(crate) fn is_definite_no(error: &Error) -> bool {
    error.as_db_error().is_some_and(|refusal| {
        refusal.parsed_severity() == Some(Severity::Error)
            && *refusal.code() != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
    })
}

/// The transaction lost against another one and may simply be tried again.
pub(crate) fn is_conflict(error: &Error) -> bool {
    matches!(
        error.code(),
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
    )
}

/// What was prepared on the connection answers otherwise since its tables changed (0A000), or is gone
/// (26000). Nothing stands; another connection prepares it anew.
pub(crate) fn is_outdated_plan(error: &Error) -> bool {
    matches!(
        error.code(),
        Some(&SqlState::FEATURE_NOT_SUPPORTED | &SqlState::INVALID_SQL_STATEMENT_NAME)
    )
}

/// The connection, and most likely its neighbours, are of no more use: the server went away (08, 57P0x,
/// or no answer), or is a standby by now (25006), or what they have prepared is outdated.
pub(crate) fn condemns_connection(error: &Error) -> bool {
    error.is_closed()
        || is_outdated_plan(error)
        || error.code().is_none_or(|code| {
            *code == SqlState::READ_ONLY_SQL_TRANSACTION
                || code.code().starts_with("08")
                || code.code().starts_with("57P0")
        })
}
