//! Where decisions become durable. The engine asks; persistence answers with Postgres, and
//! [`memory::MemoryJournal`] is the reference implementation, with rows of its own.

pub mod memory;

use std::time::Duration;

use crate::event::{Batch, Snapshot, Terms};
use crate::id::{EventNumber, HoldId};
use crate::later::Later;

/// The authority behind every owner.
pub trait Journal: Send + Sync + 'static {
    /// Writes the batch, all or nothing, if the head has its epoch and sequence and every changed row
    /// is what the batch says it was; or, for [`Batch::is_check`], only matches the head.
    ///
    /// `Ok` is a definite yes: the batch is durable as the sale requires. The call does not outlast
    /// the lane's patience by itself; whoever waits no longer may drop it and must then take the
    /// outcome as unknown.
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>>;

    /// Raises the event's epoch, durably, and then reads its rows under it. Of ended holds, those
    /// younger than `keys_kept` are read, and those named in `also`.
    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>>;

    /// The event's terms as its rows have them now: for an owner whose [`Snapshot::plan`] is not the one that it
    /// knows. Where plans never change, nobody asks.
    fn terms(&self, event: EventNumber) -> Later<'_, Result<Terms, TakeOverError>> {
        Box::pin(
            async move { Err(TakeOverError::Broken(format!("{event:?} has one plan for ever"))) },
        )
    }
}

/// From whom an event may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeFrom {
    /// From anybody: a process that starts.
    Anyone,
    /// Only from this process itself: one whose owner has died, perhaps because somebody else has
    /// taken over. A fenced owner does not take back.
    OnlySelf,
}

/// Why an append is not a yes. Whatever it is, the owner that sent the batch is finished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The head has another epoch or sequence: there is, or was, another owner. Nothing was written.
    #[error("another owner has taken the event over")]
    Fenced,
    /// The batch's time is too far from the database's. Nothing was written.
    #[error("the batch's time is more than the bound away from the database's")]
    ClockUncertain,
    /// These new holds exist already: their keys had been forgotten. Nothing was written.
    #[error("holds of forgotten keys exist: {0:?}")]
    KnownHolds(Vec<HoldId>),
    /// A row was not what memory believed, or a rule stated in the database says no. A bug; nothing
    /// was written.
    #[error("the database refused the batch: {0}")]
    Refused(String),
    /// It may have been written or not; only a takeover tells.
    #[error("the outcome of the batch is unknown: {0}")]
    Unknown(String),
}

/// Why an event could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeOverError {
    /// The database has no such event.
    #[error("there is no such event")]
    NoSuchEvent,
    /// The event is another process's, or became so between the claim and the reading.
    #[error("another owner has taken the event over")]
    Overtaken,
    /// The rows cannot be read as what they should be.
    #[error("the rows are broken: {0}")]
    Broken(String),
    /// The database cannot be reached, or did not answer in time.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
}
