//! From the outbox to mail that is due.

use std::collections::BTreeSet;

use taquilla_engine::id::Sequence;
use uuid::Uuid;

use super::OrderMail;
use crate::codec::Record;
use crate::database::DatabaseError;
use crate::outbox::{Behind, HistoryBatch, Pages};

/// Events that are looked at in one round.
const EVENTS_MAX: u16 = 64;

const NOTE: &str = "/* note_ticket_mails */ \
    INSERT INTO order_mails (order_id, about, version, due_at) \
    SELECT order_id, 0, version, clock_timestamp() \
      FROM unnest($1::uuid[], $2::bigint[]) AS it (order_id, version) \
        ON CONFLICT (order_id, about, version) DO NOTHING";

impl OrderMail {
    pub(super) async fn read_events(&self) -> Result<bool, DatabaseError> {
        let events = self.tickets.behind(EVENTS_MAX).await?;
        let mut more = events.len() == usize::from(EVENTS_MAX);
        for behind in events {
            match self.read_event(behind).await {
                Ok(has_more) => more |= has_more,
                Err(error) => {
                    let event = behind.event.0;
                    tracing::warn!(%error, event, "the outbox cannot be read on for mail");
                }
            }
        }
        Ok(more)
    }

    async fn read_event(&self, behind: Behind) -> Result<bool, DatabaseError> {
        let page = self.tickets.page(behind).await?;
        let (orders, versions): (Vec<Uuid>, Vec<i64>) = issued(&page).into_iter().unzip();
        let noted = self.database.write("note_ticket_mails", async |transaction| {
            if self.tickets.move_on(&transaction, behind, page.read_to).await? && !orders.is_empty()
            {
                transaction.execute(NOTE, &[&orders, &versions]).await?;
            }
            Ok(())
        });
        noted.await?;
        Ok(page.read_to < behind.head)
    }
}

/// The orders that tickets were issued for, each with the batch that did.
fn issued(page: &Pages) -> BTreeSet<(Uuid, i64)> {
    let batch = |HistoryBatch { sequence, records, .. }: &HistoryBatch| {
        let Sequence(sequence) = *sequence;
        let order = move |record: &Record| match record {
            Record::TicketIssued { order, .. } => Some((*order, sequence)),
            Record::HoldPlacedInSection { .. }
            | Record::HoldEnded { .. }
            | Record::OrderPlaced { .. }
            | Record::OrderEnded { .. }
            | Record::AttemptDecided { .. }
            | Record::HoldPlaced { .. }
            | Record::HoldReduced { .. }
            | Record::SeatsBlocked { .. }
            | Record::SeatsUnblocked { .. }
            | Record::CapacitySet { .. }
            | Record::TicketsReturned { .. }
            | Record::HoldExtended { .. }
            | Record::TermsAmended { .. }
            | Record::Operated { .. } => None,
        };
        records.iter().filter_map(order).collect::<Vec<_>>()
    };
    page.batches.iter().flat_map(batch).collect()
}
