//! What was posted to outgoing webhooks, message by message: what came of the last try, and of all of them.

use std::collections::HashSet;
use std::time::Duration;

use taquilla_engine::id::EventId;
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::page::{Page, one_more_than};
use crate::stamp::Stamp;

/// What has become of a message is never taken back, whatever comes of posting it once more; but a parked one may be
/// delivered yet.
const NOTE: &str = "/* note_webhook_delivery */ \
    INSERT INTO webhook_deliveries AS d (sink, message_id, type, event_id, refusals, status, error, outcome) \
    VALUES ($1, $2, $3, $4, $5::integer, $6, $7, $8) \
        ON CONFLICT (sink, message_id) DO UPDATE \
            SET tried_at = clock_timestamp(), tries = d.tries + 1, refusals = d.refusals + excluded.refusals, \
                status = excluded.status, error = excluded.error, \
                outcome = CASE WHEN d.outcome = 0 THEN 0 ELSE coalesce(excluded.outcome, d.outcome) END \
    RETURNING refusals, \
              clock_timestamp() - first_tried_at > $9 * interval '1 second' \
              AND EXISTS (SELECT FROM webhook_deliveries other \
                           WHERE other.sink = $1 AND other.tried_at > clock_timestamp() - interval '1 hour' \
                             AND other.outcome = 0) AS is_stuck";

const PARK: &str = "/* park_webhook_delivery */ \
    UPDATE webhook_deliveries SET outcome = 1 WHERE sink = $1 AND message_id = $2 AND outcome IS NULL";

const SETTLED: &str = "/* settled_webhook_deliveries */ \
    SELECT message_id FROM webhook_deliveries \
     WHERE sink = $1 AND message_id = ANY ($2) AND outcome IS NOT NULL";

/// One statement an outcome, so that each has its index.
macro_rules! list {
    ($of:literal) => {
        concat!(
            "/* webhook_deliveries */ \
            SELECT message_id, type, event_id, tried_at, tries, status, error, outcome \
              FROM webhook_deliveries WHERE sink = $1 AND ",
            $of,
            " AND ($2::timestamptz IS NULL OR (tried_at, message_id) < ($2, $3)) \
             ORDER BY tried_at DESC, message_id DESC LIMIT $4"
        )
    };
}

/// What is still tried is kept, whatever its age.
const FORGET: &str = "/* forget_webhook_deliveries */ \
    DELETE FROM webhook_deliveries WHERE (sink, message_id) IN ( \
        SELECT sink, message_id FROM webhook_deliveries \
         WHERE outcome IS NOT NULL AND tried_at < clock_timestamp() - $1 * interval '1 second' \
         ORDER BY tried_at LIMIT 5000 FOR UPDATE SKIP LOCKED)";

/// The rows of deliveries. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Deliveries {
    database: Database,
}

/// What came of one try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It was taken.
    Delivered {
        /// The answer's status.
        status: u16,
    },
    /// It was refused as it is: it counts against the message.
    Refused {
        /// The answer's status.
        status: u16,
    },
    /// Nobody took it, through no fault of the message's.
    Away {
        /// The answer's status, if there was an answer.
        status: Option<u16>,
        /// What happened instead.
        error: String,
    },
}

/// What the tries of a message come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// How often it has been refused.
    pub refusals: u32,
    /// Whether it was tried first long ago, and others were taken within the last hour.
    pub is_stuck: bool,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It is still tried.
    Pending,
    /// It was taken.
    Delivered,
    /// It was refused too often, and those behind it go on without it.
    Parked,
}

impl DeliveryOutcome {
    /// A word for answers.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Parked => "parked",
        }
    }

    /// The outcome of this word.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::Parked].into_iter().find(|it| it.code() == code)
    }

    fn column(self) -> i16 {
        match self {
            Self::Pending => -1,
            Self::Delivered => 0,
            Self::Parked => 1,
        }
    }

    fn of(column: Option<i16>) -> Option<Self> {
        let column = column.unwrap_or(-1);
        [Self::Pending, Self::Delivered, Self::Parked].into_iter().find(|it| it.column() == column)
    }
}

/// A message, as those name it who hear of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageName<'a> {
    /// Unique.
    pub id: &'a str,
    /// What kind.
    pub kind: &'a str,
    /// Of which event.
    pub event: EventId,
}

/// One row of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The message.
    pub message_id: String,
    /// What kind it is.
    pub kind: String,
    /// Of which event.
    pub event: EventId,
    /// When it was tried last.
    pub tried_at: Moment,
    /// How often.
    pub tries: u32,
    /// The last answer's status; none, if there was no answer.
    pub status: Option<u16>,
    /// What came instead of a proper answer.
    pub error: Option<String>,
    /// What became of it.
    pub outcome: DeliveryOutcome,
}

/// Where a page of the log ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryPosition {
    /// When the last one was tried.
    pub tried_at: Moment,
    /// Which it was.
    pub message_id: String,
}

impl Deliveries {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Notes a try. Returns how often the message has been refused, and whether it alone is not taken since `old`.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may be noted.
    pub async fn note(
        &self,
        sink: &str,
        message: MessageName<'_>,
        tried: &Tried,
        old: Duration,
    ) -> Result<Noted, DatabaseError> {
        let (refused, status, error, outcome) = match tried {
            Tried::Delivered { status } => {
                (0, Some(*status), None, Some(DeliveryOutcome::Delivered.column()))
            }
            Tried::Refused { status } => (1, Some(*status), None, None),
            Tried::Away { status, error } => (0, *status, Some(error.as_str()), None),
        };
        let status = status.map(|status| i16::try_from(status).unwrap_or(i16::MAX));
        let noted = self.database.write_at_once("note_webhook_delivery", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 9] = [
                (&sink, Type::TEXT),
                (&message.id, Type::TEXT),
                (&message.kind, Type::TEXT),
                (&message.event.uuid(), Type::UUID),
                (&refused, Type::INT4),
                (&status, Type::INT2),
                (&error, Type::TEXT),
                (&outcome, Type::INT2),
                (&old.as_secs_f64(), Type::FLOAT8),
            ];
            client.query_typed_one(NOTE, &params).await
        });
        let row = noted.await?;
        let refusals = columns::count::<i32>(&row, "refusals")?;
        Ok(Noted { refusals, is_stuck: columns::get(&row, "is_stuck")? })
    }

    /// The message is not tried any more.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may be so.
    pub async fn park(&self, sink: &str, message: &str) -> Result<(), DatabaseError> {
        let parked = self.database.write_at_once("park_webhook_delivery", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&sink, Type::TEXT), (&message, Type::TEXT)];
            client.execute_typed(PARK, &params).await
        });
        parked.await.map(drop)
    }

    /// Those of these messages that are delivered or parked.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn settled(
        &self,
        sink: &str,
        messages: &[&str],
    ) -> Result<HashSet<String>, DatabaseError> {
        let rows = self.database.read("settled_webhook_deliveries", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&sink, Type::TEXT), (&messages, Type::TEXT_ARRAY)];
            client.query_typed(SETTLED, &params).await
        });
        let id = |row: &Row| columns::get(row, "message_id");
        Ok(rows.await?.iter().map(id).collect::<Result<_, _>>()?)
    }

    /// A page of the log, the latest tries first.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn list(
        &self,
        sink: &str,
        outcome: Option<DeliveryOutcome>,
        after: Option<DeliveryPosition>,
        limit: u16,
    ) -> Result<Page<Delivery, DeliveryPosition>, DatabaseError> {
        let list = match outcome {
            None => list!("true"),
            Some(DeliveryOutcome::Pending) => list!("outcome IS NULL"),
            Some(DeliveryOutcome::Delivered) => list!("outcome = 0"),
            Some(DeliveryOutcome::Parked) => list!("outcome = 1"),
        };
        let (tried_at, message) = after.map(|it| (Stamp(it.tried_at), it.message_id)).unzip();
        let rows = self.database.read("webhook_deliveries", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&sink, Type::TEXT),
                (&tried_at, Type::TIMESTAMPTZ),
                (&message, Type::TEXT),
                (&one_more_than(limit), Type::INT8),
            ];
            client.query_typed(list, &params).await
        });
        let items: Vec<Delivery> =
            rows.await?.iter().map(read).collect::<Result<_, BrokenRow>>()?;
        Ok(Page::cut(items, limit, |last| DeliveryPosition {
            tried_at: last.tried_at,
            message_id: last.message_id.clone(),
        }))
    }

    /// Forgets some of those that came to an end so long ago. Returns how many.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn forget(&self, kept: Duration) -> Result<u64, DatabaseError> {
        let forgotten = self.database.write_at_once("forget_webhook_deliveries", async |client| {
            client.execute_typed(FORGET, &[(&kept.as_secs_f64(), Type::FLOAT8)]).await
        });
        forgotten.await
    }
}

fn read(row: &Row) -> Result<Delivery, BrokenRow> {
    let status: Option<i16> = columns::get(row, "status")?;
    Ok(Delivery {
        message_id: columns::get(row, "message_id")?,
        kind: columns::get(row, "type")?,
        event: columns::id(row, "event_id", EventId::parse)?,
        tried_at: columns::moment(row, "tried_at")?,
        tries: columns::count::<i32>(row, "tries")?,
        status: status.and_then(|status| u16::try_from(status).ok()),
        error: columns::get(row, "error")?,
        outcome: columns::parse(row, "outcome", DeliveryOutcome::of)?,
    })
}
