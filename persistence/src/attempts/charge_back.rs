//! What a buyer's bank took back: booked once a notice.

use taquilla_engine::id::AttemptId;
use taquilla_engine::money::Money;
use taquilla_engine::payment::Attempt;
use tokio_postgres::types::{ToSql, Type};

use super::PostgresAttempts;
use crate::database::DatabaseError;

const BOOK: &str = "/* charge_back */ \
    INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
    SELECT attempt_id, order_id, event_no, kind, $2, account, $3 * of_whole, $4 \
      FROM payment_attempts JOIN ledger_rules ON rule = 'charged_back' \
     WHERE attempt_id = $1 AND $3 <> 0 \
        ON CONFLICT ON CONSTRAINT ledger_booked_once DO NOTHING";

impl PostgresAttempts {
    pub(super) async fn book_charge_back(
        &self,
        attempt: AttemptId,
        notice: &str,
        money: Money,
    ) -> Result<Option<Attempt>, DatabaseError> {
        let booked = self.database.write("charge_back", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&attempt.uuid(), Type::UUID),
                (&notice, Type::TEXT),
                (&money.amount, Type::INT8),
                (&money.currency.to_string(), Type::TEXT),
            ];
            transaction.execute_typed(BOOK, &params).await
        });
        booked.await?;
        self.find_attempt(attempt).await
    }
}
