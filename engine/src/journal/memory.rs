//! The reference journal: rows in memory, each compared with what the batch believed, as the database
//! compares them; the rules that the database states as constraints are not here. It lives as long as
//! its process, so it serves simulated time and tests.

mod rows;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use self::rows::Rows;
use super::{AppendError, Journal, TakeFrom, TakeOverError};
use crate::event::{Batch, ReceiptResult, Snapshot, Ticket};
use crate::hold::HoldStatus;
use crate::id::{EventNumber, HoldId, OrderId, TicketId};
use crate::later::Later;
use crate::moment::Moment;
use crate::operation::Deed;
use crate::order::Order;

/// A journal for as long as the process lives. All its events exist.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    process: u32,
    events: Arc<Mutex<HashMap<EventNumber, Rows>>>,
}

impl MemoryJournal {
    /// The same rows as another process reaches them.
    #[must_use]
    pub fn of_another_process(&self) -> Self {
        Self { process: self.process + 1, events: Arc::clone(&self.events) }
    }

    /// Writes a batch now.
    ///
    /// # Errors
    /// As [`Journal::append`]; never `Unknown`.
    pub fn write(&self, batch: &Batch) -> Result<(), AppendError> {
        self.events.lock().entry(batch.event).or_insert_with(Rows::new).write(batch)
    }

    /// Raises the epoch and reads, now.
    ///
    /// # Errors
    /// [`TakeOverError::Overtaken`] if the event may only be taken from this process, and is another's.
    pub fn claim(&self, event: EventNumber, from: TakeFrom) -> Result<Snapshot, TakeOverError> {
        let mut events = self.events.lock();
        let rows = events.entry(event).or_insert_with(Rows::new);
        if from == TakeFrom::OnlySelf && rows.owner != self.process {
            return Err(TakeOverError::Overtaken);
        }
        rows.owner = self.process;
        rows.epoch.0 += 1;
        Ok(rows.snapshot())
    }

    /// The rows as they are, without a claim.
    #[must_use]
    pub fn peek(&self, event: EventNumber) -> Snapshot {
        self.events.lock().entry(event).or_insert_with(Rows::new).snapshot()
    }

    /// What operators did, in order.
    #[must_use]
    pub fn deeds(&self, event: EventNumber) -> Vec<(Deed, Moment)> {
        self.events.lock().get(&event).map(|rows| rows.deeds.clone()).unwrap_or_default()
    }

    /// Which of them are void.
    #[must_use]
    pub fn void_tickets(&self, event: EventNumber) -> HashSet<TicketId> {
        self.events.lock().get(&event).map(|rows| rows.void.clone()).unwrap_or_default()
    }

    /// The tickets issued so far.
    #[must_use]
    pub fn tickets(&self, event: EventNumber) -> Vec<Ticket> {
        self.events.lock().get(&event).map(|rows| rows.tickets.clone()).unwrap_or_default()
    }
}

impl Journal for MemoryJournal {
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(async move { self.write(batch) })
    }

    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>> {
        Box::pin(async move { Ok(remembered(self.claim(event, from)?, keys_kept, also)) })
    }
}

/// Of these rows, those that an owner reads. Their age is reckoned from the latest decision; of attempts
/// nothing is known here, so no order is kept for one.
fn remembered(mut snapshot: Snapshot, keys_kept: Duration, also: &[HoldId]) -> Snapshot {
    let since = snapshot.decided_at - keys_kept;
    snapshot.receipts.retain(|receipt| receipt.at > since);
    let receipts = snapshot.receipts.iter().filter_map(|receipt| match receipt.result {
        ReceiptResult::Order { order, .. } => Some(order),
        ReceiptResult::HoldNotActive(_) => None,
    });
    let mut told: HashSet<OrderId> = receipts.collect();
    let refunded = |order: &&Order| order.refunds.iter().any(|refund| refund.at > since);
    told.extend(snapshot.orders.iter().filter(refunded).map(|order| order.id));
    snapshot.holds.retain(|hold| {
        let young = hold.status == HoldStatus::Active || hold.created_at > since;
        young || also.contains(&hold.id) || told.contains(&OrderId::of(hold.id))
    });
    let holds: HashSet<HoldId> = snapshot.holds.iter().map(|hold| hold.id).collect();
    snapshot.orders.retain(|order| holds.contains(&order.hold));
    snapshot
}
