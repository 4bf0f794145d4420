//! The outbox, read by a consumer: each event from where it last stopped, a page of batches at a time.
//!
//! A position moves in the transaction that writes what follows from the page, so nothing is passed over
//! and nothing follows twice, however many processes read for the same consumer.

use taquilla_engine::id::{EventNumber, Sequence};
use taquilla_engine::moment::Moment;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row};

use crate::codec::{self, Record};
use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};

/// Of those behind, some by chance: none waits for the busiest for ever. A head never tells of a batch
/// whose row is not there: one statement writes both.
const BEHIND: &str = "/* events_behind */ \
    SELECT h.event_no, h.seq AS head, coalesce(p.seq, 0) AS read_to \
      FROM event_heads h LEFT JOIN outbox_positions p \
        ON p.event_no = h.event_no AND p.consumer = $1 \
     WHERE h.seq > coalesce(p.seq, 0) ORDER BY random() LIMIT $2";

/// At most a thousand batches, and no further one once these have 4 MB.
pub(crate) const PAGE: &str = "/* outbox_page */ \
    SELECT seq, payload, created_at \
      FROM (SELECT seq, payload, created_at, \
                   sum(octet_length(payload)) OVER (ORDER BY seq) - octet_length(payload) AS before \
              FROM (SELECT seq, payload, created_at FROM outbox \
                     WHERE event_no = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT 1000) \
                AS ahead) AS measured \
     WHERE before < 4194304 ORDER BY seq";

const MOVE: &str = "/* move_outbox_position */ \
    INSERT INTO outbox_positions AS p (consumer, event_no, seq) VALUES ($1, $2, $4) \
        ON CONFLICT (consumer, event_no) DO UPDATE SET seq = excluded.seq WHERE p.seq = $3";

/// An event of which a consumer has not read everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    /// Which.
    pub(crate) event: EventNumber,
    /// The last batch that was read; 0 before the first.
    pub(crate) read_to: Sequence,
    /// The last batch that there is.
    pub(crate) head: Sequence,
}

/// What one batch says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryBatch {
    /// Which of its event.
    pub sequence: Sequence,
    /// When it was written.
    pub at: Moment,
    /// What happened, in order.
    pub records: Vec<Record>,
}

/// A part of an event's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pages {
    /// The batches, in order.
    pub(crate) batches: Vec<HistoryBatch>,
    /// Where the consumer stands once this is read.
    pub(crate) read_to: Sequence,
}

/// A consumer's reading. Clones share the connections.
#[derive(Clone, Debug)]
pub(crate) struct OutboxReader {
    database: Database,
    consumer: &'static str,
}

impl OutboxReader {
    /// `consumer` is its name for ever.
    pub(crate) fn new(database: Database, consumer: &'static str) -> OutboxReader {
        OutboxReader { database, consumer }
    }

    /// At most so many events that have news.
    pub(crate) async fn behind(&self, limit: u16) -> Result<Vec<Behind>, DatabaseError> {
        let rows = self.database.read("events_behind", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&self.consumer, Type::TEXT), (&i64::from(limit), Type::INT8)];
            client.query_typed(BEHIND, &params).await
        });
        let behind = |row| {
            let (event, read_to) = (columns::event(row)?, columns::get(row, "read_to")?);
            let head = Sequence(columns::get(row, "head")?);
            Ok(Behind { event, read_to: Sequence(read_to), head })
        };
        Ok(rows.await?.iter().map(behind).collect::<Result<_, BrokenRow>>()?)
    }

    /// The next batches of the event.
    pub(crate) async fn page(&self, behind: Behind) -> Result<Pages, DatabaseError> {
        let Behind { event, read_to, head } = behind;
        let rows = self.database.read("outbox_page", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 3] =
                [(&event.0, Type::INT4), (&read_to.0, Type::INT8), (&head.0, Type::INT8)];
            client.query_typed(PAGE, &params).await
        });
        let batches: Vec<_> = rows.await?.iter().map(read_batch).collect::<Result<_, _>>()?;
        // Batches that are no longer kept are passed over.
        let read_to = batches.last().map_or(head, |batch| batch.sequence);
        Ok(Pages { batches, read_to })
    }

    /// Moves the position within a transaction. `false`: somebody else has moved it, and writes what
    /// follows.
    pub(crate) async fn move_on(
        &self,
        transaction: &Client,
        behind: Behind,
        read_to: Sequence,
    ) -> Result<bool, Error> {
        let params: [&(dyn ToSql + Sync); 4] =
            [&self.consumer, &behind.event.0, &behind.read_to.0, &read_to.0];
        Ok(transaction.execute(MOVE, &params).await? == 1)
    }
}

/// A row of [`PAGE`].
pub(crate) fn read_batch(row: &Row) -> Result<HistoryBatch, BrokenRow> {
    let sequence = Sequence(columns::get(row, "seq")?);
    let broken = |error| BrokenRow::new("payload", format!("batch {}: {error}", sequence.0));
    let records = codec::decode(columns::get(row, "payload")?).map_err(broken)?;
    Ok(HistoryBatch { sequence, at: columns::moment(row, "created_at")?, records })
}
