//! What became of orders' money, claimed a page at a time: one place for all orders.
//!
//! The page ends below the transaction horizon, as for every reader of this outbox.

use std::time::Duration;

use taquilla_engine::id::EventId;
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::RelayRows;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::order_outbox::{OrderNews, Place, read_news, read_place};

const CLAIM: &str = "/* claim_order_outbox */ \
    UPDATE order_outbox_positions p \
       SET holder = $2, lease_until = clock_timestamp() + $3 * interval '1 second' \
      FROM (SELECT consumer FROM order_outbox_positions p \
             WHERE consumer = $1 AND (holder IS NULL OR lease_until <= clock_timestamp()) \
               AND EXISTS (SELECT FROM order_outbox o \
                            WHERE (o.xact, o.order_id, o.version) > (p.xact, p.order_id, p.version) \
                              AND o.xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint) \
               FOR UPDATE SKIP LOCKED) AS free \
     WHERE p.consumer = free.consumer RETURNING p.xact, p.order_id, p.version";

const PAGE: &str = "/* order_outbox_to_relay */ \
    SELECT o.xact, o.order_id, o.version, o.of, o.name, o.status, o.amount, o.currency, o.at, e.event_id \
      FROM (SELECT xact, order_id, version, of, name, status, amount, currency, at, event_no FROM order_outbox \
             WHERE (xact, order_id, version) > ($1, $2, $3) \
               AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint \
             ORDER BY xact, order_id, version LIMIT 1000) o \
      JOIN events e USING (event_no) ORDER BY o.xact, o.order_id, o.version";

const SETTLE: &str = "/* settle_order_outbox_claim */ \
    UPDATE order_outbox_positions \
       SET xact = $6, order_id = $7, version = $8, holder = NULL, lease_until = NULL \
     WHERE consumer = $1 AND holder = $2 AND (xact, order_id, version) = ($3, $4, $5)";

/// Nobody reads on for a while.
const POSTPONE: &str = "/* postpone_order_outbox_claim */ \
    UPDATE order_outbox_positions \
       SET xact = $6, order_id = $7, version = $8, lease_until = clock_timestamp() + $9 * interval '1 second' \
     WHERE consumer = $1 AND holder = $2 AND (xact, order_id, version) = ($3, $4, $5)";

/// The money of orders, read on by this process for the consumer, alone while the lease lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedMoney {
    /// Where the consumer stands.
    pub read_to: Place,
}

/// Something that became of an order's money, with what is told beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoneyNews {
    /// The news.
    pub news: OrderNews,
    /// The order's event.
    pub event: EventId,
    /// When it became so.
    pub at: Moment,
}

impl MoneyNews {
    /// Where a consumer stands that has read it.
    #[must_use]
    pub fn place(&self) -> Place {
        self.news.place
    }
}

impl RelayRows {
    /// The outbox of orders' money, if it has news and nobody reads it at the moment. A consumer that was never
    /// enrolled has none.
    ///
    /// # Errors
    /// [`DatabaseError`]; if it was claimed, it is free again after the lease.
    pub async fn claim_money(&self) -> Result<Option<ClaimedMoney>, DatabaseError> {
        let consumer: &str = &self.consumer;
        let claimed = self.database.write_at_once("claim_order_outbox", async |client| {
            let lease = self.lease.as_secs_f64();
            let params: [(&(dyn ToSql + Sync), Type); 3] =
                [(&consumer, Type::TEXT), (&self.holder, Type::UUID), (&lease, Type::FLOAT8)];
            client.query_typed_opt(CLAIM, &params).await
        });
        let claimed = claimed.await?.map(|row| read_place(&row)).transpose()?;
        Ok(claimed.map(|read_to| ClaimedMoney { read_to }))
    }

    /// The next rows, in order, once they are durable.
    ///
    /// # Errors
    /// [`DatabaseError`], also for what cannot be read.
    pub async fn money(&self, claimed: ClaimedMoney) -> Result<Vec<MoneyNews>, DatabaseError> {
        let Place { xact, order, version } = claimed.read_to;
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&xact, Type::INT8), (&order, Type::UUID), (&version, Type::INT8)];
        let rows = self.database.read_durable("order_outbox_to_relay", PAGE, &params).await?;
        let read = |row: &Row| -> Result<MoneyNews, BrokenRow> {
            let event = columns::id(row, "event_id", EventId::parse)?;
            Ok(MoneyNews { news: read_news(row)?, event, at: columns::moment(row, "at")? })
        };
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// The consumer has everything up to there. `false`: the lease has run out and somebody else has it;
    /// then nothing moves.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may have moved.
    pub async fn settle_money(
        &self,
        claimed: ClaimedMoney,
        read_to: Place,
    ) -> Result<bool, DatabaseError> {
        self.move_money("settle_order_outbox_claim", SETTLE, claimed, read_to, None).await
    }

    /// As [`RelayRows::settle_money`], but nobody reads on before `pause` is over.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may have moved.
    pub async fn postpone_money(
        &self,
        claimed: ClaimedMoney,
        read_to: Place,
        pause: Duration,
    ) -> Result<bool, DatabaseError> {
        let name = "postpone_order_outbox_claim";
        self.move_money(name, POSTPONE, claimed, read_to, Some(pause.as_secs_f64())).await
    }

    async fn move_money(
        &self,
        name: &'static str,
        sql: &'static str,
        claimed: ClaimedMoney,
        read_to: Place,
        pause: Option<f64>,
    ) -> Result<bool, DatabaseError> {
        let consumer: &str = &self.consumer;
        let was = claimed.read_to;
        let moved = self.database.write_at_once(name, async |client| {
            let mut params: Vec<(&(dyn ToSql + Sync), Type)> = vec![
                (&consumer, Type::TEXT),
                (&self.holder, Type::UUID),
                (&was.xact, Type::INT8),
                (&was.order, Type::UUID),
                (&was.version, Type::INT8),
                (&read_to.xact, Type::INT8),
                (&read_to.order, Type::UUID),
                (&read_to.version, Type::INT8),
            ];
            params.extend(pause.as_ref().map(|pause| (pause as &(dyn ToSql + Sync), Type::FLOAT8)));
            client.execute_typed(sql, &params).await
        });
        Ok(moved.await? == 1)
    }
}
