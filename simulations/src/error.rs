//! Why a drill did not pass.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use taquilla_auditor::{ReadError, RecordingError, Report};
use taquilla_persistence::private_postgres::StartError;

use crate::client::Unresolved;

/// Why a drill did not pass, or could not be held.
#[derive(Debug, thiserror::Error)]
pub enum DrillError {
    /// Something lost, doubled, or answered wrongly.
    #[error("the audit found:\n{0}")]
    Audit(Report),
    /// What was promised did not happen.
    #[error("{0}")]
    Broken(String),
    /// A condition that must come did not.
    #[error("after {after_seconds} s still waiting: {for_what}")]
    Late {
        /// The condition.
        for_what: String,
        /// How long it was waited for.
        after_seconds: u64,
    },
    /// The process ended by itself.
    #[error("{what} ended with {status}; its log is {}:\n{tail}", log.display())]
    Ended {
        /// Its command.
        what: String,
        /// How.
        status: ExitStatus,
        /// All that it said.
        log: PathBuf,
        /// The end of that.
        tail: String,
    },
    /// The `taquilla` binary is not there and cannot be built.
    #[error("no taquilla binary: {0}")]
    NoBinary(String),
    /// The database of the drill did not start.
    #[error("no Postgres for the drill")]
    Postgres(#[from] StartError),
    /// The auditor could not read.
    #[error("the auditor cannot read")]
    Rows(#[from] ReadError),
    /// The recording could not be kept.
    #[error("the recording cannot be kept")]
    Recording(#[from] RecordingError),
    /// The provider's books could not be read.
    #[error("no answer to a request that must have one")]
    Http(#[from] reqwest::Error),
    /// A process or a file.
    #[error("the system refused")]
    Io(#[from] io::Error),
    /// The database refused to be made.
    #[error("a database cannot be made")]
    Database(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl From<Unresolved> for DrillError {
    fn from(unresolved: Unresolved) -> Self {
        Self::Broken(format!("never settled: {unresolved}"))
    }
}
