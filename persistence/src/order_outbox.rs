//! What became of orders' money, read by a consumer: of each order in its own order, without a gap.
//!
//! Read by transaction horizon: a page ends below the oldest transaction that still runs, since nothing
//! can be added there any more. A transaction that stays open delays those who read, and hides nothing
//! from them. The position moves in the transaction that writes what follows from the page, so nothing is
//! passed over and nothing follows twice, however many processes read for the same consumer.

use taquilla_engine::id::{AttemptId, OrderId, RefundId};
use taquilla_engine::money::Money;
use taquilla_engine::payment::AttemptStatus;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row};
use uuid::Uuid;

use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::orders::RefundStatus;
use crate::pool::PooledClient;

const POSITION: &str = "/* order_outbox_position */ \
    SELECT xact, order_id, version FROM order_outbox_positions WHERE consumer = $1";

/// The horizon is that of the snapshot which finds the rows.
const PAGE: &str = "/* order_outbox_page */ \
    SELECT xact, order_id, version, of, name, status, amount, currency FROM order_outbox \
     WHERE (xact, order_id, version) > ($1, $2, $3) \
       AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint \
     ORDER BY xact, order_id, version LIMIT $4";

const MOVE: &str = "/* move_order_outbox_position */ \
    INSERT INTO order_outbox_positions AS p (consumer, xact, order_id, version) \
    VALUES ($1, $5, $6, $7) \
        ON CONFLICT (consumer) DO UPDATE \
            SET xact = excluded.xact, order_id = excluded.order_id, version = excluded.version \
     WHERE (p.xact, p.order_id, p.version) = ($2, $3, $4)";

/// Something that became of an order's money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderNews {
    /// Whose.
    pub order: OrderId,
    /// Which, counted from 1 within the order, without a gap.
    pub version: i64,
    /// What.
    pub told: Told,
    /// Of how much.
    pub money: Money,
    pub(crate) place: Place,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The money workflow moved this attempt there.
    Attempt(AttemptId, AttemptStatus),
    /// This refund is there now.
    Refund(RefundId, RefundStatus),
    /// The buyer's bank took money back, by this notice of the provider's.
    ChargedBack(String),
    /// And returned it, by this one.
    ChargebackReturned(String),
}

/// Where a consumer stands: at the last row that it has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub(crate) xact: i64,
    pub(crate) order: Uuid,
    pub(crate) version: i64,
}

/// A consumer's reading. Clones share the connections.
#[derive(Clone, Debug)]
pub struct OrderOutbox {
    database: Database,
    consumer: &'static str,
}

impl OrderOutbox {
    /// `consumer` is its name for ever.
    #[must_use]
    pub fn new(database: Database, consumer: &'static str) -> Self {
        Self { database, consumer }
    }

    /// Where the consumer stands, and at most `limit` rows behind that.
    ///
    /// # Errors
    /// [`DatabaseError`]; nothing is moved.
    pub async fn page(&self, limit: u16) -> Result<(Place, Vec<OrderNews>), DatabaseError> {
        let position = self.database.read("order_outbox_position", async |client| {
            client.query_typed_opt(POSITION, &[(&self.consumer, Type::TEXT)]).await
        });
        let position = position.await?.map(|row| read_place(&row)).transpose()?;
        let position = position.unwrap_or_default();
        let rows = self.database.read("order_outbox_page", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&position.xact, Type::INT8),
                (&position.order, Type::UUID),
                (&position.version, Type::INT8),
                (&i64::from(limit), Type::INT8),
            ];
            client.query_typed(PAGE, &params).await
        });
        let news = rows.await?.iter().map(read_news).collect::<Result<_, BrokenRow>>()?;
        Ok((position, news))
    }

    /// Moves the position behind this row, within a transaction. `false`: somebody else has moved it,
    /// and writes what follows.
    pub(crate) async fn move_behind(
        &self,
        transaction: &PooledClient,
        was: Place,
        last: &OrderNews,
    ) -> Result<bool, Error> {
        let params: [(&(dyn ToSql + Sync), Type); 7] = [
            (&self.consumer, Type::TEXT),
            (&was.xact, Type::INT8),
            (&was.order, Type::UUID),
            (&was.version, Type::INT8),
            (&last.place.xact, Type::INT8),
            (&last.place.order, Type::UUID),
            (&last.place.version, Type::INT8),
        ];
        Ok(transaction.execute_typed(MOVE, &params).await? == 1)
    }
}

pub(crate) fn read_news(row: &Row) -> Result<OrderNews, BrokenRow> {
    let place = read_place(row)?;
    Ok(OrderNews {
        order: columns::id(row, "order_id", OrderId::parse)?,
        version: place.version,
        told: read_told(row)?,
        money: Money { amount: columns::get(row, "amount")?, currency: columns::currency(row)? },
        place,
    })
}

fn read_told(row: &Row) -> Result<Told, BrokenRow> {
    let name: String = columns::get(row, "name")?;
    let id = || Uuid::parse_str(&name).ok();
    let unknown = || BrokenRow::new("of", "nothing that is told");
    match columns::get::<&str>(row, "of")? {
        "attempt" => {
            let attempt = id().and_then(AttemptId::parse).ok_or_else(unknown)?;
            Ok(Told::Attempt(attempt, columns::parse(row, "status", AttemptStatus::parse)?))
        }
        "refund" => {
            let refund = id().and_then(RefundId::parse).ok_or_else(unknown)?;
            Ok(Told::Refund(refund, columns::parse(row, "status", RefundStatus::from_column)?))
        }
        "chargeback" => match columns::get::<&str>(row, "status")? {
            "booked" => Ok(Told::ChargedBack(name)),
            "returned" => Ok(Told::ChargebackReturned(name)),
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

pub(crate) fn read_place(row: &Row) -> Result<Place, BrokenRow> {
    Ok(Place {
        xact: columns::get(row, "xact")?,
        order: columns::get(row, "order_id")?,
        version: columns::get(row, "version")?,
    })
}
