//! The pool, with a bound on every answer: what the catalogue, orders, money and the audit work on.

use std::time::{Duration, Instant};

use taquilla_engine::payment::StoreUnavailable;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row};

use crate::columns::BrokenRow;
use crate::pool::{Pool, PoolError, PooledClient, ReadError, TransactionError};
use crate::session::ACKNOWLEDGED_COMMIT;
use crate::settings::DatabaseSettings;
use crate::{metric, outcome};

/// Clones share the pool. What it awaits is boxed: a caller has room for it while it runs only, and not
/// while he waits for something else.
#[derive(Clone, Debug)]
pub struct Database {
    pool: Pool,
    answer_max: Duration,
}

/// The rows could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// As many of its kind as may be are at work already. Nothing was asked of the database.
    #[error("too much of this kind is asked at once")]
    Overloaded,
    /// No answer in time. What was to be written may stand.
    #[error("no answer from the database within {0:?}")]
    TimedOut(Duration),
    /// A read failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A transaction did not commit, as far as is known.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// A row is not what this program writes.
    #[error(transparent)]
    Broken(#[from] BrokenRow),
}

impl Database {
    /// Answers within the settings' `answer_timeout`, waits for a connection included.
    #[must_use]
    pub fn new(pool: Pool, settings: &DatabaseSettings) -> Database {
        Database { pool, answer_max: settings.answer_timeout }
    }

    /// With a bound of one's own.
    pub(crate) fn bounded_by(pool: Pool, answer_max: Duration) -> Database {
        Database { pool, answer_max }
    }

    /// How many connections there may be.
    pub(crate) fn connections_max(&self) -> usize {
        self.pool.connections_max()
    }

    /// The same connections with another bound.
    #[must_use]
    pub fn within(&self, answer_max: Duration) -> Database {
        Database { pool: self.pool.clone(), answer_max }
    }

    /// One statement that writes nothing. `name` is the metric's label; the SQL opens with it as a
    /// comment.
    pub(crate) async fn read<T, F>(
        &self,
        name: &'static str,
        read: impl FnOnce(PooledClient) -> F,
    ) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let started = Instant::now();
        let result = self.bounded(Box::pin(self.pool.read(read))).await;
        metric::read_finished(name, label(&result), started.elapsed());
        result
    }

    /// As [`Pool::run_tx`].
    pub(crate) async fn write<T, F>(
        &self,
        name: &'static str,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.transaction(name, Box::pin(self.pool.run_tx(name, work))).await
    }

    /// As [`Pool::run_autocommit`].
    pub(crate) async fn write_at_once<T, F>(
        &self,
        name: &'static str,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.transaction(name, Box::pin(self.pool.run_autocommit(name, work))).await
    }

    /// What rows say, once that is durable: behind the statement that reads them goes a commit that is
    /// acknowledged as the sale requires.
    pub(crate) async fn read_durable(
        &self,
        name: &'static str,
        sql: &'static str,
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let rows = self.write_at_once(name, async |client| {
            client.prepare_once(sql, params).await?;
            let (rows, ()) = tokio::try_join!(
                biased;
                client.query_typed(sql, params),
                client.batch_execute(ACKNOWLEDGED_COMMIT),
            )?;
            Ok(rows)
        });
        rows.await
    }

    /// As [`Pool::run_snapshot`].
    pub(crate) async fn snapshot<T, F>(
        &self,
        name: &'static str,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.transaction(name, Box::pin(self.pool.run_snapshot(name, work))).await
    }

    /// A transaction measures itself, unless it is dropped at the deadline.
    async fn transaction<T>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T, TransactionError>>,
    ) -> Result<T, DatabaseError> {
        let started = Instant::now();
        let result = self.bounded(work).await;
        if let Err(DatabaseError::TimedOut(_)) = &result {
            metric::transaction_finished(name, "timed_out", started.elapsed());
        }
        result
    }

    async fn bounded<T, E>(
        &self,
        answer: impl Future<Output = Result<T, E>>,
    ) -> Result<T, DatabaseError>
    where
        DatabaseError: From<E>,
    {
        let limit = self.answer_max;
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer.map_err(DatabaseError::from),
            Err(_) => Err(DatabaseError::TimedOut(limit)),
        }
    }
}

impl From<DatabaseError> for StoreUnavailable {
    fn from(error: DatabaseError) -> Self {
        Self(outcome::in_full(&error))
    }
}

impl DatabaseError {
    /// Whether it is certain that nothing was written.
    pub(crate) fn wrote_nothing(&self) -> bool {
        match self {
            DatabaseError::TimedOut(_)
            | DatabaseError::Transaction(TransactionError::Unknown(_)) => false,
            DatabaseError::Overloaded
            | DatabaseError::Read(_)
            | DatabaseError::Broken(_)
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::RolledBack(_),
            ) => true,
        }
    }

    /// Whether nothing was asked of the database because it has too much to do.
    #[must_use]
    pub fn is_overload(&self) -> bool {
        matches!(
            self,
            DatabaseError::Overloaded
                | DatabaseError::Read(ReadError::Pool(PoolError::Busy))
                | DatabaseError::Transaction(TransactionError::NotStarted(PoolError::Busy))
        )
    }

    /// Whether another connection, or a moment later, may do better. Not once the time is used up.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            DatabaseError::Read(ReadError::Pool(_))
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::Unknown(_),
            ) => true,
            DatabaseError::Read(ReadError::Driver(error))
            | DatabaseError::Transaction(TransactionError::RolledBack(error)) => {
                outcome::condemns_connection(error) || outcome::is_conflict(error)
            }
            DatabaseError::Overloaded | DatabaseError::TimedOut(_) | DatabaseError::Broken(_) => {
                false
            }
        }
    }

    /// The constraint that refused the transaction.
    pub(crate) fn constraint(&self) -> Option<&str> {
        match self {
            DatabaseError::Transaction(TransactionError::RolledBack(error)) => {
                error.as_db_error()?.constraint()
            }
            DatabaseError::Overloaded
            | DatabaseError::TimedOut(_)
            | DatabaseError::Read(_)
            | DatabaseError::Broken(_)
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::Unknown(_),
            ) => None,
        }
    }
}

fn label<T>(read: &Result<T, DatabaseError>) -> &'static str {
    match read {
        Ok(_) => "done",
        Err(DatabaseError::TimedOut(_)) => "timed_out",
        Err(DatabaseError::Read(ReadError::Pool(_)) | DatabaseError::Overloaded) => "no_connection",
        Err(
            DatabaseError::Read(ReadError::Driver(_))
            | DatabaseError::Transaction(_)
            | DatabaseError::Broken(_),
        ) => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_postgres::scratch;

    #[tokio::test]
    async fn a_failure_is_passing_where_another_connection_or_moment_may_do_better() {
        let settings = scratch::shared().await.settings("postgres");
        let database = Database::new(Pool::new(&settings).expect("our own URL"), &settings);
        for (code, is_passing) in [
            ("08006", true),  // the connection
            ("0A000", true),  // what was prepared answers otherwise by now
            ("25006", true),  // a standby by now
            ("26000", true),  // what was prepared is gone
            ("40001", true),  // lost against another
            ("40P01", true),  // a deadlock
            ("57P01", true),  // the server goes away
            ("22012", false), // a division by zero
            ("23505", false), // a constraint
            ("42P01", false), // no such table
            ("57014", false), // its time is used up
        ] {
            let raise = format!("DO $$ BEGIN RAISE SQLSTATE '{code}'; END $$");
            let raise = async |client: PooledClient| client.batch_execute(&raise).await;
            let written = database.write("raise", raise).await.expect_err(code);
            let read = database.read("raise", raise).await.expect_err(code);
            assert_eq!(written.is_passing(), is_passing, "{code}: {written:?}");
            assert_eq!(read.is_passing(), is_passing, "{code}: {read:?}");
            assert!(written.wrote_nothing() && read.wrote_nothing(), "{code}");
        }
        assert!(!DatabaseError::TimedOut(Duration::ZERO).wrote_nothing());
        assert!(!DatabaseError::TimedOut(Duration::ZERO).is_passing());
        assert!(!DatabaseError::Overloaded.is_passing());
    }
}
