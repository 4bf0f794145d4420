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

pub(crate) fn append_error(error: &WriteError) -> AppendError {
    let refusal = match error {
        WriteError::Refused(refusal) => refusal.as_db_error(),
        WriteError::Unknown(_) | WriteError::NotSent => None,
    };
    refusal.map_or_else(|| unknown(error), |refusal| refused(refusal, error))
}

/// Nothing was written, since the server refused.
fn refused(refusal: &DbError, error: &WriteError) -> AppendError {
    match refusal.code().code() {
        FENCED => AppendError::Fenced,
        TIME_IS_OFF => AppendError::ClockUncertain,
        HOLDS_EXIST => AppendError::KnownHolds(known_holds(refusal.detail().unwrap_or_default())),
        NOT_AS_BELIEVED => AppendError::Refused(refusal.message().to_owned()),
        code if blames_the_batch(code) => AppendError::Refused(match refusal.constraint() {
            Some(constraint) => constraint.to_owned(),
            None => format!("{code}: {}", refusal.message()),
        }),
        _ => unknown(error),
    }
}

/// Classes 22 and 23: a value that does not fit, a constraint. Every other code is a circumstance (a
/// standby, a lock, a lack of resources, an operator, a fault of the server's or of the schema's), in
/// which the same batch might pass another day: one that is blamed wrongly is paged as a bug, and its
/// section kept apart.
fn blames_the_batch(code: &str) -> bool {
    code.starts_with("22") || code.starts_with("23")
}

/// Whether other writers lead to the same place, where nothing can be written.
pub(crate) fn condemns_writers(error: &WriteError) -> bool {
    match error {
        WriteError::Refused(refusal) => outcome::condemns_connection(refusal),
        WriteError::Unknown(_) | WriteError::NotSent => false,
    }
}

pub(crate) fn unknown(error: &dyn Error) -> AppendError {
    AppendError::Unknown(outcome::in_full(error))
}

pub(crate) fn unavailable(error: &dyn Error) -> TakeOverError {
    TakeOverError::Unavailable(outcome::in_full(error))
}

fn known_holds(detail: &str) -> Vec<HoldId> {
    let ids = detail.split(' ').filter_map(|id| Uuid::try_parse(id).ok());
    ids.filter_map(HoldId::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_value_or_a_constraint_is_the_batchs_fault() {
        for (code, is_blamed) in [
            ("22003", true),  // a number out of range
            ("22P02", true),  // text that is no such value
            ("23502", true),  // not null
            ("23505", true),  // unique
            ("23514", true),  // check
            ("03000", false), // statement not complete yet
            ("08006", false), // connection
            ("0A000", false), // feature not supported
            ("21000", false), // cardinality
            ("25006", false), // read only
            ("26000", false), // statement name
            ("28000", false), // authorization
            ("2D000", false), // transaction termination
            ("34000", false), // cursor name
            ("38000", false), // external routine
            ("40001", false), // serialisation
            ("40P01", false), // deadlock
            ("42501", false), // privilege
            ("42P01", false), // no such table
            ("53100", false), // disk full
            ("54000", false), // a limit of the server
            ("55P03", false), // lock
            ("57014", false), // cancelled
            ("57P01", false), // shutdown
            ("58030", false), // input or output
            ("72000", false), // snapshot too old
            ("F0000", false), // configuration file
            ("P0002", false), // no row where there must be one
            ("XX000", false), // the server's own bug
            ("XX001", false), // corrupted data
            ("TQ999", false), // none of ours
        ] {
            assert_eq!(blames_the_batch(code), is_blamed, "{code}");
        }
    }
}
