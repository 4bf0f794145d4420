//! What an answer that is not a yes means for the owner that sent the batch.

use std::error::Error;

use taquilla_engine::id::HoldId;
use taquilla_engine::journal::{AppendError, TakeOverError};
use tokio_postgres::error::DbError;
use uuid::Uuid;

use crate::outcome;
use crate::writer::WriteError;

/// Raised by the functions of `migrations/V2__append_batch.sql`.
const FENCED: &str = "TQ001";
const TIME_IS_OFF: &str = "TQ002";
const NOT_AS_BELIEVED: &str = "TQ003";
const HOLDS_EXIST: &str = "TQ004";

pub(super) fn append_error(error: &WriteError) -> AppendError {
    let refusal = match error {
        WriteError::Refused(refusal) => refusal.as_db_error(),
        WriteError::Unknown(_) | WriteError::NotSent => None,
    };
    refusal.map_or_else(|| unknown(error), |refusal| refused(refusal, error))
}

/// Nothing was written, since the server refused. Whether that is the batch's fault, the class of
/// the code tells: a batch blamed wrongly puts a section into quarantine.
fn refused(refusal: &DbError, error: &WriteError) -> AppendError {
    match refusal.code().code() {
        FENCED => AppendError::Fenced,
        TIME_IS_OFF => AppendError::ClockUncertain,
        HOLDS_EXIST => AppendError::KnownHolds(known_holds(refusal.detail().unwrap_or_default())),
        NOT_AS_BELIEVED => AppendError::Refused(refusal.message().to_owned()),
        code if is_circumstance(code) => unknown(error),
        code => AppendError::Refused(match refusal.constraint() {
            Some(constraint) => constraint.to_owned(),
            None => format!("{code}: {}", refusal.message()),
        }),
    }
}

/// A standby, a lock, a lack of resources, an operator or a time-out: the same batch might pass
/// another day.
fn is_circumstance(code: &str) -> bool {
    ["08", "25", "40", "53", "55", "57", "58"].iter().any(|class| code.starts_with(class))
}

/// Whether other writers lead to the same place, where nothing can be written.
pub(super) fn condemns_writers(error: &WriteError) -> bool {
    match error {
        WriteError::Refused(refusal) => outcome::condemns_connection(refusal),
        WriteError::Unknown(_) | WriteError::NotSent => false,
    }
}

pub(super) fn unknown(error: &dyn Error) -> AppendError {
    AppendError::Unknown(in_full(error))
}

pub(super) fn unavailable(error: &dyn Error) -> TakeOverError {
    TakeOverError::Unavailable(in_full(error))
}

/// The engine's errors keep no source, so the words of all of them go into the one.
fn in_full(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        words = format!("{words}: {error}");
        source = error.source();
    }
    words
}

fn known_holds(detail: &str) -> Vec<HoldId> {
    let ids = detail.split(' ').filter_map(|id| Uuid::try_parse(id).ok());
    ids.filter_map(HoldId::parse).collect()
}

#[cfg(test)]
mod tests {
    use tokio_postgres::error::SqlState;

    use super::*;

    #[test]
    fn only_what_the_batch_is_to_blame_for_is_its_fault() {
        let limits = [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE, SqlState::DISK_FULL];
        let gone = [SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::ADMIN_SHUTDOWN];
        let faults =
            [SqlState::CHECK_VIOLATION, SqlState::UNIQUE_VIOLATION, SqlState::DATA_EXCEPTION];
        assert!(limits.iter().chain(&gone).all(|state| is_circumstance(state.code())));
        assert!(!faults.iter().any(|state| is_circumstance(state.code())));
    }
}
