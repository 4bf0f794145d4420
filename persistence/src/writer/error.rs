//! How a statement ends that does not end in a yes.

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// A statement that did not end in a yes.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The server refused it. Nothing of it stands; the connection may be used again.
    #[error("the database refused the statement")]
    Refused(#[source] Error),
    /// It may have been committed, may be yet, or never will.
    #[error("the outcome of the statement is unknown")]
    Unknown(#[source] UnknownCause),
    /// The connection was unusable before; nothing was sent.
    #[error("the connection is not usable")]
    NotSent,
}

/// Why an outcome is unknown.
#[derive(Debug, thiserror::Error)]
pub enum UnknownCause {
    /// No answer by the deadline.
    #[error("no answer in time")]
    TimedOut,
    /// The connection, the server or the answer broke.
    #[error("the connection broke")]
    Lost(#[source] Error),
    /// Committed here; whether the required standby has it nobody can tell.
    #[error("the wait for the synchronous standby was cut short")]
    NotDurable,
}

impl WriteError {
    /// The SQLSTATE of a refusal.
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            WriteError::Refused(error) => error.code(),
            WriteError::Unknown(_) | WriteError::NotSent => None,
        }
    }

    /// The name of the constraint that refused the statement.
    pub fn constraint(&self) -> Option<&str> {
        match self {
            WriteError::Refused(error) => error.as_db_error()?.constraint(),
            WriteError::Unknown(_) | WriteError::NotSent => None,
        }
    }
}
