//! Attempts as they are.

use taquilla_engine::id::AttemptId;
use taquilla_engine::payment::Attempt;
use tokio_postgres::types::Type;

use super::PostgresAttempts;
use super::row::{attempt_columns, read_attempt};
use crate::database::DatabaseError;
use crate::session::ACKNOWLEDGED_COMMIT;

const FIND: &str = concat!(
    "/* find_attempt */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts WHERE attempt_id = $1"
);

/// The condition is the index's own, word for word.
const UNFINISHED: &str = concat!(
    "/* unfinished_attempts */ SELECT ",
    attempt_columns!(),
    " FROM payment_attempts \
     WHERE status NOT IN ('captured', 'declined', 'voided', 'failed') ORDER BY created_at"
);

impl PostgresAttempts {
    pub(super) async fn find_attempt(
        &self,
        attempt: AttemptId,
    ) -> Result<Option<Attempt>, DatabaseError> {
        let found = self.database.write("find_attempt", async |transaction| {
            let found = transaction.query_typed_opt(FIND, &[(&attempt.uuid(), Type::UUID)]).await?;
            transaction.batch_execute(ACKNOWLEDGED_COMMIT).await?;
            Ok(found)
        });
        Ok(found.await?.as_ref().map(read_attempt).transpose()?)
    }

    pub(super) async fn unfinished_attempts(&self) -> Result<Vec<Attempt>, DatabaseError> {
        let found = self.database.write("unfinished_attempts", async |transaction| {
            let found = transaction.query_typed(UNFINISHED, &[]).await?;
            transaction.batch_execute(ACKNOWLEDGED_COMMIT).await?;
            Ok(found)
        });
        Ok(found.await?.iter().map(read_attempt).collect::<Result<_, _>>()?)
    }
}
