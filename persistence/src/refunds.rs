//! Refunds in rows: the engine's [`Refunds`] on Postgres. The lane writes that one is due, in the
//! statement that makes its tickets void; from then on only the money workflow moves it, here.

use std::time::Duration;

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
      WHERE r.status = 'due' AND (again_at IS NULL OR again_at <= clock_timestamp()) AND (r.created_at, r.refund_id) > ($1, $2) \
      ORDER BY r.created_at, r.refund_id LIMIT $3"
);

const REFUSED: &str = "/* refund_refused */ \
    UPDATE refunds SET again_at = clock_timestamp() + make_interval(secs => $2) \
     WHERE refund_id = $1 AND status = 'due'";

/// Whatever the provider still has of an order's money goes to the oldest of its refunds first: one that
/// does not fit is cut down to what is left.
const FORGIVE: &str = "/* forgive_refunds */ \
    UPDATE refunds r \
       SET amount = CASE WHEN fits > 0 THEN fits ELSE r.amount END, \
           status = CASE WHEN fits > 0 THEN 'due' ELSE 'none' END, \
           resolved_at = CASE WHEN fits <= 0 THEN clock_timestamp() END \
      FROM (SELECT refund_id, (l.left_there - e.earlier)::bigint AS fits \
              FROM refunds r JOIN payment_attempts a USING (order_id) \
             CROSS JOIN LATERAL (SELECT sum(amount) AS left_there, \
                                        bool_or(kind = 'chargeback') AS was_charged_back \
                                   FROM ledger \
                                  WHERE attempt_id = a.attempt_id AND account = 'provider') l \
             CROSS JOIN LATERAL (SELECT coalesce(sum(o.amount), 0) AS earlier FROM refunds o \
                                  WHERE o.order_id = r.order_id AND o.status = 'due' \
                                    AND (o.created_at, o.refund_id) < (r.created_at, r.refund_id)) e \
             WHERE r.status = 'due' AND a.status = 'captured' AND was_charged_back) f \
     WHERE r.refund_id = f.refund_id AND r.status = 'due' AND fits < r.amount";

const ERRED: &str = "/* refund_erred */ \
    UPDATE refunds SET errors = errors + 1 WHERE refund_id = $1 AND status = 'due'";

/// Refunds of one attempt are booked one after the other. A statement of its own: the one that books sums
/// what it sees at its beginning, which is to be what the refund before this one has left.
const LOCK: &str = "/* settle_refund */ \
    SELECT FROM payment_attempts a JOIN refunds r USING (order_id) \
     WHERE r.refund_id = $1 AND a.status = 'captured' FOR UPDATE OF a";

/// Fees go back in proportion to what does, each refund what is missing up to then: together they are
/// what was booked at the capture, to the minor unit. What was forgiven while its payment was on its way
/// is booked all the same, since it is paid.
const SETTLE: &str = "/* settle_refund */ \
    WITH settled AS ( \
        UPDATE refunds r SET status = 'settled', resolved_at = clock_timestamp() \
          FROM payment_attempts paid \
         WHERE r.refund_id = $1 AND r.status <> 'settled' \
           AND paid.order_id = r.order_id AND paid.status = 'captured' \
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

    /// These statements about one refund, in one transaction.
    async fn write(
        &self,
        name: &'static str,
        statements: &[&'static str],
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<(), StoreUnavailable> {
        let written = self.database.write(name, async |transaction| {
            for sql in statements {
                transaction.execute_typed(sql, params).await?;
            }
            Ok(())
        });
        Ok(written.await?)
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
        Box::pin(async move {
            self.write("refund_erred", &[ERRED], &[(&refund.uuid(), Type::UUID)]).await
        })
    }

    fn refused(
        &self,
        refund: RefundId,
        again_after: Duration,
    ) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            let (refund, seconds) = (refund.uuid(), again_after.as_secs_f64());
            let params: &[(&(dyn ToSql + Sync), Type)] =
                &[(&refund, Type::UUID), (&seconds, Type::FLOAT8)];
            self.write("refund_refused", &[REFUSED], params).await
        })
    }

    fn forgive(&self) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(self.write("forgive_refunds", &[FORGIVE], &[]))
    }

    fn settle(&self, refund: RefundId) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            self.write("settle_refund", &[LOCK, SETTLE], &[(&refund.uuid(), Type::UUID)]).await
        })
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
