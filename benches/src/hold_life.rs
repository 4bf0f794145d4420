//! The product's journal, except for how long holds live. The catalogue counts that in seconds and in an
//! hour at most, and an owner takes the sale as its rows have it.

use std::time::Duration;

use taquilla_engine::event::{Batch, Snapshot};
use taquilla_engine::id::{EventNumber, HoldId};
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use taquilla_persistence::journal::PostgresJournal;

/// Rows and statements are the journal's own.
#[derive(Debug)]
pub struct HoldLife {
    /// What it asks.
    pub journal: PostgresJournal,
    /// Of holds of every event.
    pub hold_ttl: Duration,
}

impl Journal for HoldLife {
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>> {
        self.journal.append(batch)
    }

    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>> {
        Box::pin(async move {
            let mut snapshot = self.journal.take_over(event, from, keys_kept, also).await?;
            let sale = snapshot.amendment.sale.as_mut().expect("rows have a sale");
            sale.hold_ttl = self.hold_ttl;
            Ok(snapshot)
        })
    }
}
