//! Whoever is told what happened.

use std::time::Duration;

use taquilla_engine::later::Later;
use taquilla_persistence::database::DatabaseError;
use tokio::time::Instant;

use super::Message;

/// A sink of messages: the bus, somebody's endpoint.
pub trait Sink: Send + Sync {
    /// Whether it is told of this kind at all.
    fn wants(&self, kind: &str) -> bool;

    /// The most messages that are handed over at once, but for those of one batch.
    fn at_once(&self) -> usize;

    /// Takes these, in this order. `Ok`: all of them are kept there, whatever happens next. Else it may have
    /// some, and knows them again when they come once more. It has ended by `until`.
    fn publish<'a>(
        &'a self,
        messages: &'a [Message],
        repeat: Repeat<'a>,
        until: Instant,
    ) -> Later<'a, Result<(), SinkError>>;
}

/// Why messages come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat<'a> {
    /// They happened; those that are there already are left out.
    No,
    /// An operator wants them told once more, in a run of this name; those that are there already are told as well.
    Run(&'a str),
}

/// Why they were not all taken.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// Nobody takes anything there at the moment.
    #[error("it does not take anything at the moment")]
    Away(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// One of them is refused as it is. It is tried again after the pause; others need not wait.
    #[error("it refused {message}")]
    Refused {
        /// Which.
        message: String,
        /// How long to wait.
        pause: Duration,
    },
    /// There was no time for all of them.
    #[error("there was no time for all of them")]
    OutOfTime,
    /// What was tried before cannot be looked up, or noted.
    #[error("the log of deliveries cannot be used")]
    Log(#[from] DatabaseError),
}

impl SinkError {
    /// Nobody takes anything, for this reason.
    pub fn away(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Away(why.into())
    }
}
