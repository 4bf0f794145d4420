//! Refunds in rows: the engine's [`Refunds`] on Postgres. The lane writes that one is due, in the
//! statement that makes its tickets void; from then on only the money workflow moves it, here.

use taquilla_engine::id::RefundId;
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{DueRefund, Refunds, StoreUnavailable};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::attempts::row::{attempt_columns, read_attempt};
use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::stamp::Stamp;

/// One whose order has no captured attempt waits, and is not in the way of others.
const DUE: &str = concat!(
    "/* due_refunds */ SELECT r.refund_id, r.amount AS owed, r.currency AS owed_in, \
            r.errors AS refund_errors, r.created_at AS decided_at, a.* \
       FROM refunds r CROSS JOIN LATERAL (SELECT ",
    attempt_columns!(),
    " FROM payment_attempts WHERE payment_attempts.order_id = r.order_id \
         AND payment_attempts.status = 'captured') a \
      WHERE r.status = 'due' AND (r.created_at, r.refund_id) > ($1, $2) \
      ORDER BY r.created_at, r.refund_id LIMIT $3"
);

const ERRED: &str = "/* refund_erred */ \
    UPDATE refunds SET errors = errors + 1 WHERE refund_id = $1 AND status = 'due'";

/// Fees go back in proportion to what does, each refund what is missing up to then: together they are
/// what was booked at the capture, to the minor unit. Refunds of one attempt wait for each other.
const SETTLE: &str = "/* settle_refund */ \
    WITH paid AS ( \
        SELECT a.* FROM payment_attempts a JOIN refunds r USING (order_id) \
         WHERE r.refund_id = $1 AND a.status = 'captured' FOR UPDATE OF a), \
    settled AS ( \
        UPDATE refunds r SET status = 'settled', resolved_at = clock_timestamp() FROM paid \
         WHERE refund_id = $1 AND r.status = 'due' \
     RETURNING paid.attempt_id, paid.order_id, paid.event_no, paid.amount AS whole, r.amount, \
               r.currency) \
    INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
    SELECT attempt_id, order_id, event_no, kind, $1::uuid::text, account, posted, currency \
      FROM settled \
     CROSS JOIN LATERAL (SELECT coalesce(-sum(l.amount), 0)::bigint AS before FROM ledger l \
             WHERE l.attempt_id = settled.attempt_id AND l.kind = 'refund' \
               AND l.account = 'provider') b \
     CROSS JOIN LATERAL (SELECT coalesce(-sum(l.amount), 0)::numeric AS fees FROM ledger l \
             WHERE l.attempt_id = settled.attempt_id AND l.kind = 'fee' AND l.name = '' \
               AND l.account = 'fees') f \
     CROSS JOIN LATERAL (SELECT (floor(fees * (before + amount) / whole) \
                                 - floor(fees * before / whole))::bigint AS fee) p \
      JOIN ledger_rules ON rule = 'refunded' \
     CROSS JOIN LATERAL (SELECT amount * of_whole + fee * of_fees AS posted) posting \
     WHERE posted <> 0 \
        ON CONFLICT ON CONSTRAINT ledger_booked_once DO NOTHING";

/// The store. Clones share the connections.
#[derive(Clone, Debug)]
pub struct PostgresRefunds {
    database: Database,
}

impl PostgresRefunds {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    async fn read_due(
        &self,
        after: Option<(Moment, RefundId)>,
        max: u32,
    ) -> Result<Vec<DueRefund>, DatabaseError> {
        let (at, id) = Stamp::behind(after.map(|(at, refund)| (at, refund.uuid())));
        let max = i64::from(max);
        let params: &[(&(dyn ToSql + Sync), Type)] =
            &[(&at, Type::TIMESTAMPTZ), (&id, Type::UUID), (&max, Type::INT8)];
        // Money moves by what is told here.
        let found = self.database.read_durable("due_refunds", DUE, params);
        Ok(found.await?.iter().map(read).collect::<Result<_, _>>()?)
    }

    async fn write(
        &self,
        name: &'static str,
        sql: &'static str,
        refund: RefundId,
    ) -> Result<(), StoreUnavailable> {
        let written = self.database.write(name, async |transaction| {
            transaction.execute_typed(sql, &[(&refund.uuid(), Type::UUID)]).await
        });
        Ok(written.await.map(drop)?)
    }
}

impl Refunds for PostgresRefunds {
    fn due(
        &self,
        after: Option<(Moment, RefundId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<DueRefund>, StoreUnavailable>> {
        Box::pin(async move { Ok(self.read_due(after, max).await?) })
    }

    fn erred(&self, refund: RefundId) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(self.write("refund_erred", ERRED, refund))
    }

    fn settle(&self, refund: RefundId) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(self.write("settle_refund", SETTLE, refund))
    }
}

fn read(row: &Row) -> Result<DueRefund, BrokenRow> {
    Ok(DueRefund {
        id: columns::id(row, "refund_id", RefundId::parse)?,
        money: Money {
            amount: columns::get(row, "owed")?,
            currency: columns::parse(row, "owed_in", Currency::parse)?,
        },
        errors: columns::count::<i32>(row, "refund_errors")?,
        attempt: read_attempt(row)?,
        created_at: columns::moment(row, "decided_at")?,
    })
}
