//! What a buyer's bank took back, and what it returned of that: each booked once a notice.

use taquilla_engine::id::AttemptId;
use taquilla_engine::money::Money;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::PostgresAttempts;
use crate::columns;
use crate::database::DatabaseError;

/// Of no more than was taken in this currency, over all notices: what took nothing has no such posting.
const BOOK: &str = "/* charge_back */ \
    INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
    SELECT attempt_id, order_id, event_no, kind, $2, account, $3 * of_whole, $4 \
      FROM payment_attempts JOIN ledger_rules ON rule = 'charged_back' \
     WHERE attempt_id = $1 \
       AND $3 BETWEEN 1 AND (SELECT coalesce(sum(l.amount), 0) FROM ledger l \
             WHERE l.attempt_id = payment_attempts.attempt_id AND l.account = 'provider' \
               AND l.kind IN ('capture', 'chargeback') AND l.currency = $4) \
        ON CONFLICT ON CONSTRAINT ledger_booked_once DO NOTHING";

/// Where it is booked, now or before: what the provider still has, but for what is owed of it.
const LEFT: &str = "/* charge_back */ \
    SELECT ((SELECT sum(l.amount) FROM ledger l \
              WHERE l.attempt_id = booked.attempt_id AND l.account = 'provider') \
            - (SELECT coalesce(sum(r.amount), 0) FROM refunds r \
                WHERE r.order_id = booked.order_id AND r.status = 'due'))::bigint AS left_there \
      FROM ledger booked \
     WHERE attempt_id = $1 AND kind = 'chargeback' AND name = $2 AND account = 'provider' \
       AND amount < 0";

/// One after the other, so that no more is taken back than was taken, nor returned than was taken back.
const LOCK: &str =
    "/* charge_back */ SELECT FROM payment_attempts WHERE attempt_id = $1 FOR UPDATE";

/// The reverse, of no more than is booked as taken back in this currency.
const REINSTATE: &str = "/* reinstate */ \
    INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
    SELECT attempt_id, order_id, event_no, kind, $2, account, -$3 * of_whole, $4 \
      FROM payment_attempts JOIN ledger_rules ON rule = 'charged_back' \
     WHERE attempt_id = $1 \
       AND $3 BETWEEN 1 AND (SELECT coalesce(sum(l.amount), 0) FROM ledger l \
             WHERE l.attempt_id = payment_attempts.attempt_id AND l.kind = 'chargeback' \
               AND l.account = 'chargebacks' AND l.currency = $4) \
        ON CONFLICT ON CONSTRAINT ledger_booked_once DO NOTHING";

/// Now or before.
const IS_BOOKED: &str = "/* reinstate */ SELECT FROM ledger \
     WHERE attempt_id = $1 AND kind = 'chargeback' AND name = $2 AND account = 'provider' \
       AND amount > 0";

impl PostgresAttempts {
    pub(super) async fn book_reinstated(
        &self,
        attempt: AttemptId,
        notice: &str,
        money: Money,
    ) -> Result<bool, DatabaseError> {
        let booked = self.book("reinstate", [REINSTATE, IS_BOOKED], attempt, notice, money);
        Ok(booked.await?.is_some())
    }

    pub(super) async fn book_charge_back(
        &self,
        attempt: AttemptId,
        notice: &str,
        money: Money,
    ) -> Result<Option<i64>, DatabaseError> {
        let row = self.book("charge_back", [BOOK, LEFT], attempt, notice, money).await?;
        Ok(row.map(|row| columns::get(&row, "left_there")).transpose()?)
    }

    /// Books what the notice tells, if that can be, and asks what is booked of it by then.
    async fn book(
        &self,
        name: &'static str,
        [book, ask]: [&'static str; 2],
        attempt: AttemptId,
        notice: &str,
        money: Money,
    ) -> Result<Option<Row>, DatabaseError> {
        let attempt = attempt.uuid();
        let currency = money.currency.to_string();
        let booked = self.database.write(name, async |transaction| {
            let of_it: (&(dyn ToSql + Sync), Type) = (&attempt, Type::UUID);
            let named: (&(dyn ToSql + Sync), Type) = (&notice, Type::TEXT);
            transaction.execute_typed(LOCK, std::slice::from_ref(&of_it)).await?;
            let params = [
                of_it.clone(),
                named.clone(),
                (&money.amount, Type::INT8),
                (&currency, Type::TEXT),
            ];
            transaction.execute_typed(book, &params).await?;
            transaction.query_typed_opt(ask, &[of_it, named]).await
        });
        booked.await
    }
}
