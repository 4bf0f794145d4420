//! Events' histories, claimed a page at a time.

use std::time::Duration;

use taquilla_engine::id::{EventId, EventNumber, Sequence};
use taquilla_engine::money::Currency;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::RelayRows;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::outbox::{HistoryBatch, PAGE, read_batch};

const ENROL: &str = "/* enrol_in_outbox */ SELECT enrol_in_outbox($1, $2)";

/// Of those behind whom nobody has, some by chance: none waits for the busiest for ever.
const CLAIM: &str = "/* claim_outbox */ \
    UPDATE outbox_positions p \
       SET holder = $2, lease_until = clock_timestamp() + $3 * interval '1 second' \
      FROM (SELECT p.event_no, h.seq AS head \
              FROM event_heads h JOIN outbox_positions p USING (event_no) \
             WHERE p.consumer = $1 AND h.seq > p.seq \
               AND (p.holder IS NULL OR p.lease_until <= clock_timestamp()) \
             ORDER BY random() LIMIT $4 FOR UPDATE OF p SKIP LOCKED) AS free \
      JOIN events e USING (event_no) \
     WHERE p.consumer = $1 AND p.event_no = free.event_no \
    RETURNING p.event_no, p.seq AS read_to, free.head, e.event_id, e.currency";

/// The end of a lease. Where it has run out and somebody else has it, nothing moves.
const SETTLE: &str = "/* settle_outbox_claim */ \
    UPDATE outbox_positions SET seq = $5, holder = NULL, lease_until = NULL \
     WHERE consumer = $1 AND event_no = $2 AND holder = $3 AND seq = $4";

/// Nobody reads on for a while.
const POSTPONE: &str = "/* postpone_outbox_claim */ \
    UPDATE outbox_positions SET seq = $5, lease_until = clock_timestamp() + $6 * interval '1 second' \
     WHERE consumer = $1 AND event_no = $2 AND holder = $3 AND seq = $4";

const RELEASE: &str = "/* release_outbox_claims */ \
    UPDATE outbox_positions SET holder = NULL, lease_until = NULL WHERE holder = $1";

const RELEASE_MONEY: &str = "/* release_order_outbox_claim */ \
    UPDATE order_outbox_positions SET holder = NULL, lease_until = NULL WHERE holder = $1";

const FIND: &str = "/* event_of_bus */ \
    SELECT e.event_no, e.event_id, e.currency, h.seq AS head, coalesce(f.seq, 0) AS floor \
      FROM events e JOIN event_heads h USING (event_no) LEFT JOIN outbox_floors f USING (event_no) \
     WHERE e.event_id = $1";

/// An event, as those know it who are told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventOfBus {
    /// Its number here.
    pub number: EventNumber,
    /// Its name everywhere.
    pub id: EventId,
    /// What its sums are in.
    pub currency: Currency,
}

/// An event whose history this process reads on for the consumer, alone while the lease lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedEvent {
    /// Which.
    pub event: EventOfBus,
    /// The last batch that was read; 0 before the first.
    pub read_to: Sequence,
    /// The last batch that there was.
    pub head: Sequence,
}

/// Where an event's history begins and ends by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventHistory {
    /// Whose.
    pub event: EventOfBus,
    /// Batches up to here are no longer kept.
    pub floor: Sequence,
    /// The last batch.
    pub head: Sequence,
}

impl RelayRows {
    /// Begins to read for the consumer; of events that it does not know yet, from their first batch on. Looks at all
    /// events, so it is for now and then.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may be done.
    pub async fn enrol(&self) -> Result<(), DatabaseError> {
        let consumer: &str = &self.consumer;
        let enrolled = self.database.write_at_once("enrol_in_outbox", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&consumer, Type::TEXT), (&self.begins.is_now(), Type::BOOL)];
            client.query_typed(ENROL, &params).await
        });
        enrolled.await.map(drop)
    }

    /// At most so many events that have news which nobody reads at the moment. A consumer that was never enrolled
    /// has none.
    ///
    /// # Errors
    /// [`DatabaseError`]; what was claimed is free again after the lease.
    pub async fn claim(&self, limit: u16) -> Result<Vec<ClaimedEvent>, DatabaseError> {
        let consumer: &str = &self.consumer;
        let claimed = self.database.write_at_once("claim_outbox", async |client| {
            let (lease, limit) = (self.lease.as_secs_f64(), i64::from(limit));
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&consumer, Type::TEXT),
                (&self.holder, Type::UUID),
                (&lease, Type::FLOAT8),
                (&limit, Type::INT8),
            ];
            client.query_typed(CLAIM, &params).await
        });
        let read = |row: &Row| -> Result<ClaimedEvent, BrokenRow> {
            let (read_to, head) = (columns::get(row, "read_to")?, columns::get(row, "head")?);
            let event = read_event(row)?;
            Ok(ClaimedEvent { event, read_to: Sequence(read_to), head: Sequence(head) })
        };
        Ok(claimed.await?.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// The next batches behind `after`, up to `head`, in order, once they are durable. None: they are no
    /// longer kept.
    ///
    /// # Errors
    /// [`DatabaseError`], also for what cannot be read.
    pub async fn batches(
        &self,
        event: EventNumber,
        after: Sequence,
        head: Sequence,
    ) -> Result<Vec<HistoryBatch>, DatabaseError> {
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&event.0, Type::INT4), (&after.0, Type::INT8), (&head.0, Type::INT8)];
        let rows = self.database.read_durable("outbox_page", PAGE, &params).await?;
        Ok(rows.iter().map(read_batch).collect::<Result<_, _>>()?)
    }

    /// The consumer has everything up to `read_to`, and whoever comes first reads on from there. `false`: the
    /// lease has run out and somebody else has it; then nothing moves.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may have moved.
    pub async fn settle(
        &self,
        claimed: &ClaimedEvent,
        read_to: Sequence,
    ) -> Result<bool, DatabaseError> {
        let consumer: &str = &self.consumer;
        let moved = self.database.write_at_once("settle_outbox_claim", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 5] = [
                (&consumer, Type::TEXT),
                (&claimed.event.number.0, Type::INT4),
                (&self.holder, Type::UUID),
                (&claimed.read_to.0, Type::INT8),
                (&read_to.0, Type::INT8),
            ];
            client.execute_typed(SETTLE, &params).await
        });
        Ok(moved.await? == 1)
    }

    /// As [`RelayRows::settle`], but nobody reads on before `pause` is over.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may have moved.
    pub async fn postpone(
        &self,
        claimed: &ClaimedEvent,
        read_to: Sequence,
        pause: Duration,
    ) -> Result<bool, DatabaseError> {
        let consumer: &str = &self.consumer;
        let moved = self.database.write_at_once("postpone_outbox_claim", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 6] = [
                (&consumer, Type::TEXT),
                (&claimed.event.number.0, Type::INT4),
                (&self.holder, Type::UUID),
                (&claimed.read_to.0, Type::INT8),
                (&read_to.0, Type::INT8),
                (&pause.as_secs_f64(), Type::FLOAT8),
            ];
            client.execute_typed(POSTPONE, &params).await
        });
        Ok(moved.await? == 1)
    }

    /// Whatever this reader has claimed, others may have at once.
    ///
    /// # Errors
    /// [`DatabaseError`]; then they have it after the lease.
    pub async fn release(&self) -> Result<(), DatabaseError> {
        let released = self.database.write_at_once("release_outbox_claims", async |client| {
            client.execute_typed(RELEASE, &[(&self.holder, Type::UUID)]).await?;
            client.execute_typed(RELEASE_MONEY, &[(&self.holder, Type::UUID)]).await
        });
        released.await.map(drop)
    }

    /// What there is of this event's history, if there is such an event.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn history(&self, event: EventId) -> Result<Option<EventHistory>, DatabaseError> {
        let found = self.database.read("event_of_bus", async |client| {
            client.query_typed_opt(FIND, &[(&event.uuid(), Type::UUID)]).await
        });
        let read = |row: Row| -> Result<EventHistory, BrokenRow> {
            let (floor, head) = (columns::get(&row, "floor")?, columns::get(&row, "head")?);
            let event = read_event(&row)?;
            Ok(EventHistory { event, floor: Sequence(floor), head: Sequence(head) })
        };
        Ok(found.await?.map(read).transpose()?)
    }
}

pub(super) fn read_event(row: &Row) -> Result<EventOfBus, BrokenRow> {
    Ok(EventOfBus {
        number: columns::event(row)?,
        id: columns::id(row, "event_id", EventId::parse)?,
        currency: columns::currency(row)?,
    })
}
