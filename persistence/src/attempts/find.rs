//! Attempts as they are.

use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::Attempt;
use tokio_postgres::types::{ToSql, Type};

use super::PostgresAttempts;
use super::row::{attempt_columns, read_attempt};
use crate::columns;
use crate::database::DatabaseError;
use crate::stamp::Stamp;

const FIND: &str = concat!(
    "/* find_attempt */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts WHERE attempt_id = $1"
);

/// The condition on the status is the index's own, word for word.
const UNFINISHED: &str = concat!(
    "/* unfinished_attempts */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts \
     WHERE status NOT IN ('capture_failed', 'captured', 'declined', 'voided', 'refunded', 'failed') \
       AND (again_at IS NULL OR again_at <= clock_timestamp()) \
       AND (created_at, attempt_id) > ($1, $2) ORDER BY created_at, attempt_id LIMIT $3"
);

/// Likewise.
const LAPSING: &str = "/* lapsing_attempts */ SELECT count(*) FROM payment_attempts \
    WHERE status IN ('authorized', 'confirmed', 'void_due', 'capture_failed', 'return_due') \
      AND lapses_at < $1";

const CAPTURE_FAILED: &str = concat!(
    "/* failed_captures */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts \
     WHERE status = 'capture_failed' \
       AND (resolved_at < $1 OR NOT EXISTS (SELECT FROM tickets \
             WHERE tickets.order_id = payment_attempts.order_id AND tickets.status <> 1)) \
     ORDER BY resolved_at LIMIT $2"
);

impl PostgresAttempts {
    pub(super) async fn failed_captures(
        &self,
        before: Moment,
        max: u32,
    ) -> Result<Vec<Attempt>, DatabaseError> {
        let (before, max) = (Stamp(before), i64::from(max));
        let params: &[(&(dyn ToSql + Sync), Type)] =
            &[(&before, Type::TIMESTAMPTZ), (&max, Type::INT8)];
        let found = self.database.read_durable("failed_captures", CAPTURE_FAILED, params);
        Ok(found.await?.iter().map(read_attempt).collect::<Result<_, _>>()?)
    }

    pub(super) async fn count_lapsing(&self, before: Moment) -> Result<u64, DatabaseError> {
        let before = Stamp(before);
        let counted = self.database.read("lapsing_attempts", async |client| {
            let before: &[(&(dyn ToSql + Sync), Type)] = &[(&before, Type::TIMESTAMPTZ)];
            client.query_typed_one(LAPSING, before).await
        });
        Ok(columns::total(&counted.await?, "count")?)
    }

    pub(super) async fn find_attempt(
        &self,
        attempt: AttemptId,
    ) -> Result<Option<Attempt>, DatabaseError> {
        let id = attempt.uuid();
        let id: &[(&(dyn ToSql + Sync), Type)] = &[(&id, Type::UUID)];
        let found = self.database.read_durable("find_attempt", FIND, id);
        Ok(found.await?.first().map(read_attempt).transpose()?)
    }

    pub(super) async fn unfinished_attempts(
        &self,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Result<Vec<Attempt>, DatabaseError> {
        let (at, id) = Stamp::behind(after.map(|(at, attempt)| (at, attempt.uuid())));
        let max = i64::from(max);
        let after: &[(&(dyn ToSql + Sync), Type)] =
            &[(&at, Type::TIMESTAMPTZ), (&id, Type::UUID), (&max, Type::INT8)];
        let found = self.database.read_durable("unfinished_attempts", UNFINISHED, after);
        Ok(found.await?.iter().map(read_attempt).collect::<Result<_, _>>()?)
    }
}
