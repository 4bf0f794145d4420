//! Refunds in rows: the engine's [`Refunds`] on Postgres. The lane writes that one is due, in the
//! statement that makes its tickets void; from then on only the money workflow moves it, here.

mod booking;

use std::time::Duration;

use taquilla_engine::id::{OrderId, RefundId};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{DueRefund, GiveBack, PaidBack, Refunds, StoreUnavailable};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::attempts::row::{attempt_columns, read_attempt};
use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::stamp::Stamp;
use booking::{FAILED, IS_SETTLED, LOCK, SETTLE};

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

/// What is not told as due yet has been refused, or has come back: nobody pays it now.
const OF_ORDER: &str = "/* refunds_of_order */ \
    SELECT refund_id, amount, currency, errors, r.status = 'due' AS is_owed, \
           r.status = 'due' AND (again_at IS NULL OR again_at <= clock_timestamp()) AS is_paying \
      FROM refunds r WHERE order_id = $1 AND r.status <> 'none' ORDER BY created_at, refund_id";

const REFUSED: &str = "/* refund_refused */ \
    UPDATE refunds SET again_at = clock_timestamp() + make_interval(secs => $3) \
     WHERE refund_id = $1 AND status = 'due' AND errors = $2";

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
    UPDATE refunds SET errors = errors + 1 \
     WHERE refund_id = $1 AND status = 'due' AND errors = $2";

const MAY_BE_ASKED: &str = "/* refund_may_be_asked */ \
    SELECT FROM refunds WHERE refund_id = $1 AND status = 'due' AND errors = $2 \
       AND amount = $3 AND currency = $4 \
       AND (again_at IS NULL OR again_at <= clock_timestamp())";

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

    fn may_be_asked(
        &self,
        refund: RefundId,
        errors: u32,
        money: Money,
    ) -> Later<'_, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let (refund, errors) = (refund.uuid(), i64::from(errors));
            let currency = money.currency.to_string();
            let params: &[(&(dyn ToSql + Sync), Type)] = &[
                (&refund, Type::UUID),
                (&errors, Type::INT8),
                (&money.amount, Type::INT8),
                (&currency, Type::TEXT),
            ];
            let found = self.database.read_durable("refund_may_be_asked", MAY_BE_ASKED, params);
            Ok(!found.await?.is_empty())
        })
    }

    fn erred(&self, refund: RefundId, errors: u32) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            let (refund, errors) = (refund.uuid(), i64::from(errors));
            let params: &[(&(dyn ToSql + Sync), Type)] =
                &[(&refund, Type::UUID), (&errors, Type::INT8)];
            self.write("refund_erred", &[ERRED], params).await
        })
    }

    fn refused(
        &self,
        refund: RefundId,
        errors: u32,
        again_after: Duration,
    ) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(async move {
            let (refund, errors) = (refund.uuid(), i64::from(errors));
            let seconds = again_after.as_secs_f64();
            let params: &[(&(dyn ToSql + Sync), Type)] =
                &[(&refund, Type::UUID), (&errors, Type::INT8), (&seconds, Type::FLOAT8)];
            self.write("refund_refused", &[REFUSED], params).await
        })
    }

    fn forgive(&self) -> Later<'_, Result<(), StoreUnavailable>> {
        Box::pin(self.write("forgive_refunds", &[FORGIVE], &[]))
    }

    fn of_order(&self, order: OrderId) -> Later<'_, Result<PaidBack, StoreUnavailable>> {
        Box::pin(async move {
            let order = order.uuid();
            let params: &[(&(dyn ToSql + Sync), Type)] = &[(&order, Type::UUID)];
            let rows = self.database.read_durable("refunds_of_order", OF_ORDER, params).await?;
            Ok(read_of_order(&rows).map_err(DatabaseError::from)?)
        })
    }

    fn failed<'a>(
        &'a self,
        refund: &'a GiveBack,
        again_after: Duration,
    ) -> Later<'a, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let (errors, seconds) = (i64::from(refund.errors), again_after.as_secs_f64());
            let booked = self.database.write("refund_failed", async |transaction| {
                let id: (&(dyn ToSql + Sync), Type) = (&refund.id, Type::UUID);
                transaction.execute_typed(LOCK, std::slice::from_ref(&id)).await?;
                let params = [id, (&errors, Type::INT8), (&seconds, Type::FLOAT8)];
                transaction.execute_typed(FAILED, &params).await
            });
            Ok(booked.await? > 0)
        })
    }

    fn settle(
        &self,
        refund: RefundId,
        errors: u32,
        paid: Money,
    ) -> Later<'_, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let (refund, errors) = (refund.uuid(), i64::from(errors));
            let currency = paid.currency.to_string();
            let settled = self.database.write("settle_refund", async |transaction| {
                let id: (&(dyn ToSql + Sync), Type) = (&refund, Type::UUID);
                transaction.execute_typed(LOCK, std::slice::from_ref(&id)).await?;
                let params = [
                    id,
                    (&errors, Type::INT8),
                    (&paid.amount, Type::INT8),
                    (&currency, Type::TEXT),
                ];
                transaction.execute_typed(SETTLE, &params).await?;
                transaction.query_typed_opt(IS_SETTLED, &params).await
            });
            Ok(settled.await?.is_some())
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

fn read_of_order(rows: &[Row]) -> Result<PaidBack, BrokenRow> {
    let mut found = PaidBack::default();
    for row in rows {
        found.is_owed |= columns::get::<bool>(row, "is_owed")?;
        found.is_paying |= columns::get::<bool>(row, "is_paying")?;
        if columns::get::<bool>(row, "is_owed")? {
            continue;
        }
        found.paid.push(GiveBack {
            id: columns::get(row, "refund_id")?,
            money: Money {
                amount: columns::get(row, "amount")?,
                currency: columns::currency(row)?,
            },
            errors: columns::count::<i32>(row, "errors")?,
        });
    }
    Ok(found)
}
