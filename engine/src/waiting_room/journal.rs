//! Where a waiting room's decisions become durable: a head row and a lane of its own, so that a join never
//! waits for a hold. [`memory::MemoryQueueJournal`] is the reference implementation.

pub mod memory;

use super::batch::QueueBatch;
use super::snapshot::QueueSnapshot;
use crate::id::EventNumber;
use crate::journal::{AppendError, TakeFrom, TakeOverError};
use crate::later::Later;

/// The authority behind every owner of a waiting room.
pub trait QueueJournal: Send + Sync + 'static {
    /// Writes the batch, all or nothing, if the head has its epoch and sequence; an empty one only compares
    /// the head and moves it on. `Ok` is a definite yes: it is durable as the sale requires.
    fn append<'a>(&'a self, batch: &'a QueueBatch) -> Later<'a, Result<(), AppendError>>;

    /// Raises the room's epoch, durably, and then reads its rows under it.
    fn take_over(
        &self,
        event: EventNumber,
        from: TakeFrom,
    ) -> Later<'_, Result<QueueSnapshot, TakeOverError>>;
}
