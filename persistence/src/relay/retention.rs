//! Batches that are old and that every consumer has read are deleted, one process at a time.
//!
//! Of events' histories only: what became of money stays, being what letters about refunds are made of.

use std::time::Duration;

use tokio_postgres::types::{ToSql, Type};

use crate::database::{Database, DatabaseError};

const TIDY: &str = "/* tidy_outbox */ \
    SELECT tidy_outbox($1, $2 * interval '1 second', $3)";

/// Every event is looked at, on a disk that may be cold. Nobody waits for it.
const PATIENCE: &str = "/* tidy_outbox */ SET LOCAL statement_timeout = '60s'";
const ANSWER_MAX: Duration = Duration::from_secs(70);

/// Some tens of milliseconds, so that no lane waits for the disk behind it.
const ROWS_MAX: i32 = 5_000;

/// Who must have read a batch, and how long it is kept at the least.
#[derive(Clone, Debug)]
pub struct Retention {
    database: Database,
    consumers: Vec<String>,
    kept: Duration,
}

impl Retention {
    /// A consumer that has read nothing yet keeps everything.
    #[must_use]
    pub fn new(database: Database, consumers: Vec<String>, kept: Duration) -> Self {
        Self { database, consumers, kept }
    }

    /// Deletes some. Returns whether there may be more; not where another process is at it.
    ///
    /// # Errors
    /// [`DatabaseError`]; some may be deleted.
    pub async fn tidy(&self) -> Result<bool, DatabaseError> {
        let database = self.database.within(ANSWER_MAX);
        let deleted = database.write("tidy_outbox", async |client| {
            client.batch_execute(PATIENCE).await?;
            let kept = self.kept.as_secs_f64();
            let params: [(&(dyn ToSql + Sync), Type); 3] = [
                (&self.consumers, Type::TEXT_ARRAY),
                (&kept, Type::FLOAT8),
                (&ROWS_MAX, Type::INT4),
            ];
            let row = client.query_typed_opt(TIDY, &params).await?;
            row.map_or(Ok(0), |row| row.try_get::<_, i64>(0))
        });
        Ok(deleted.await? >= i64::from(ROWS_MAX))
    }
}
