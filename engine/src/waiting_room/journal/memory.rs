//! The reference: rows in memory, for simulated time and tests. All rooms exist.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::QueueJournal;
use crate::id::EventNumber;
use crate::journal::{AppendError, TakeFrom, TakeOverError};
use crate::later::Later;
use crate::waiting_room::batch::{Opening, QueueBatch};
use crate::waiting_room::draw::Secret;
use crate::waiting_room::snapshot::QueueSnapshot;

/// A journal for as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryQueueJournal {
    process: u32,
    rooms: Arc<Mutex<HashMap<EventNumber, (u32, QueueSnapshot)>>>,
}

impl MemoryQueueJournal {
    /// The same rows as another process reaches them.
    #[must_use]
    pub fn of_another_process(&self) -> Self {
        Self { process: self.process + 1, rooms: Arc::clone(&self.rooms) }
    }

    /// The rows as they are, without a claim.
    #[must_use]
    pub fn peek(&self, event: EventNumber) -> QueueSnapshot {
        self.rooms.lock().entry(event).or_insert_with(|| (0, empty())).1.clone()
    }

    /// Writes a batch now.
    ///
    /// # Errors
    /// As [`QueueJournal::append`]; never `Unknown`.
    pub fn write(&self, batch: &QueueBatch) -> Result<(), AppendError> {
        let mut rooms = self.rooms.lock();
        let (_, rows) = rooms.entry(batch.event).or_insert_with(|| (0, empty()));
        if (rows.epoch, rows.sequence) != (batch.epoch, batch.sequence) {
            return Err(AppendError::Fenced);
        }
        check(rows, batch).map_err(AppendError::Refused)?;
        rows.write(batch);
        Ok(())
    }
}

impl QueueJournal for MemoryQueueJournal {
    fn append<'a>(&'a self, batch: &'a QueueBatch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(async move { self.write(batch) })
    }

    fn take_over(
        &self,
        event: EventNumber,
        from: TakeFrom,
    ) -> Later<'_, Result<QueueSnapshot, TakeOverError>> {
        Box::pin(async move {
            let mut rooms = self.rooms.lock();
            let (owner, rows) = rooms.entry(event).or_insert_with(|| (self.process, empty()));
            if from == TakeFrom::OnlySelf && *owner != self.process {
                return Err(TakeOverError::Overtaken);
            }
            *owner = self.process;
            rows.epoch.0 += 1;
            Ok(rows.clone())
        })
    }
}

fn empty() -> QueueSnapshot {
    QueueSnapshot::empty([1; 32], Secret::new([2; 32]))
}

/// What rows would contradict.
fn check(rows: &QueueSnapshot, batch: &QueueBatch) -> Result<(), String> {
    let before = rows.places.len();
    for (number, place) in (before..).zip(&batch.places) {
        if place.number as usize != number {
            return Err(format!("number {} where {number} is the next", place.number));
        }
    }
    for (number, turn) in &batch.turns {
        let Some(place) = rows.places.get(*number as usize) else {
            return Err(format!("nobody has number {number} yet"));
        };
        if place.kept.after(*turn).is_none() {
            return Err(format!("number {number} has not come"));
        }
    }
    if let Some(Opening { present, .. }) = batch.opening
        && (rows.opening.is_some() || present as usize > before + batch.places.len())
    {
        return Err("opened twice, or with some who are not there".into());
    }
    let served = rows.calls.last().map_or(0, |call| call.served);
    if let Some(call) = batch.call
        && (call.served <= served || call.served as usize > before || rows.opening.is_none())
    {
        return Err(format!("called to {} after {served}", call.served));
    }
    Ok(())
}
