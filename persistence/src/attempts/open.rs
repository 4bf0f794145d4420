//! Opening an attempt: the intent is durable before any provider hears of it.
//!
//! Requests of one key, and attempts of one order, are decided one at a time, by two advisory locks:
//! the order's row belongs to the lane and is not locked. The locks only make the order plain; what
//! must never be is kept by the table's own unique indexes.

mod decide;
mod seen;

use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::payment::{Attempt, NewAttempt, Opened};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row};
use uuid::Uuid;

use self::decide::{Decision, Remembered};
use self::seen::Seen;
use super::PostgresAttempts;
use super::row::{attempt_columns, read_attempt};
use crate::columns::BrokenRow;
use crate::database::DatabaseError;
use crate::pool::PooledClient;
use crate::session::ACKNOWLEDGED_COMMIT;

/// Always the key's before the order's. A stranger whose id has the same 64 bits waits, no more.
const LOCK: &str = "/* open_attempt */ \
    SELECT pg_advisory_xact_lock($1), pg_advisory_xact_lock($2)";

const INSERT: &str = concat!(
    "/* open_attempt */ INSERT INTO payment_attempts \
            (attempt_id, order_id, event_no, buyer, fingerprint, method, provider, amount, \
             currency, status) \
     SELECT $1, order_id, event_no, buyer, $3, $4, $5, total, e.currency, 'pending' \
       FROM orders JOIN events e USING (event_no) WHERE order_id = $2 \
  RETURNING ",
    attempt_columns!()
);

/// The receipt has the attempt's id: no attempt of that id will ever be.
const REMEMBER: &str = "/* open_attempt */ \
    INSERT INTO receipts \
           (receipt_id, event_no, operation, fingerprint, result, detail, created_at) \
    VALUES ($1, $2, 1, $3, $4, $5, clock_timestamp())";

impl PostgresAttempts {
    pub(super) async fn open_attempt(&self, new: &NewAttempt) -> Result<Opened, DatabaseError> {
        let opened = self.database.write("open_attempt", async |transaction| {
            lock(&transaction, new.id, new.order).await?;
            let seen = Seen::read(&transaction, new).await?;
            let decision = seen.and_then(|seen| seen.decide(new, self.attempts_max));
            match decision {
                Ok(decision) => carry_out(&transaction, new, decision).await,
                Err(broken) => Ok(Err(broken)),
            }
        });
        Ok(opened.await??)
    }
}

async fn lock(transaction: &PooledClient, attempt: AttemptId, order: OrderId) -> Result<(), Error> {
    let (key, order) = (lock_key(attempt.uuid()), lock_key(order.uuid()));
    transaction.execute_typed(LOCK, &[(&key, Type::INT8), (&order, Type::INT8)]).await.map(drop)
}

async fn carry_out(
    transaction: &PooledClient,
    new: &NewAttempt,
    decision: Decision,
) -> Result<Result<Opened, BrokenRow>, Error> {
    match decision {
        Decision::Answer(opened) => {
            // A replay tells of a commit that may not be durable yet.
            transaction.batch_execute(ACKNOWLEDGED_COMMIT).await?;
            Ok(Ok(opened))
        }
        Decision::Open => {
            let row = insert(transaction, new).await?;
            Ok(read_attempt(&row).map(|attempt: Attempt| Opened::Created(attempt)))
        }
        Decision::Refuse(refusal) => {
            remember(transaction, new, &refusal).await?;
            Ok(Ok(refusal.opened(false)))
        }
    }
}

async fn insert(transaction: &PooledClient, new: &NewAttempt) -> Result<Row, Error> {
    let fingerprint = new.fingerprint.as_slice();
    let params: [(&(dyn ToSql + Sync), Type); 5] = [
        (&new.id.uuid(), Type::UUID),
        (&new.order.uuid(), Type::UUID),
        (&fingerprint, Type::BYTEA),
        (&new.method, Type::TEXT),
        (&new.provider, Type::TEXT),
    ];
    transaction.query_typed_one(INSERT, &params).await
}

async fn remember(
    transaction: &PooledClient,
    new: &NewAttempt,
    refusal: &Remembered,
) -> Result<(), Error> {
    let fingerprint = new.fingerprint.as_slice();
    let (result, detail) = refusal.columns();
    let params: [(&(dyn ToSql + Sync), Type); 5] = [
        (&new.id.uuid(), Type::UUID),
        (&new.id.event().0, Type::INT4),
        (&fingerprint, Type::BYTEA),
        (&result, Type::INT2),
        (&detail, Type::TEXT),
    ];
    transaction.execute_typed(REMEMBER, &params).await.map(drop)
}

/// Ids are hashes in their last bytes.
fn lock_key(id: Uuid) -> i64 {
    let (_, last) = id.as_u64_pair();
    last.cast_signed()
}
