//! The pool, with a bound on every answer: what the catalogue, orders, money and the audit work on.

use std::time::Duration;

use tokio_postgres::Error;

use crate::outcome;
use crate::pool::{Pool, PooledClient, ReadError, TransactionError};
use crate::rows::BrokenRow;
use crate::settings::DatabaseSettings;

/// Clones share the pool.
#[derive(Clone, Debug)]
pub struct Database {
    pool: Pool,
    answer_max: Duration,
}

/// The rows could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
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

    /// The same connections with another bound.
    #[must_use]
    pub fn within(&self, answer_max: Duration) -> Database {
        Database { pool: self.pool.clone(), answer_max }
    }

    /// One statement that writes nothing.
    pub(crate) async fn read<T, F>(
        &self,
        read: impl FnOnce(PooledClient) -> F,
    ) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.bounded(self.pool.read(read)).await
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
        self.bounded(self.pool.run_tx(name, work)).await
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
        self.bounded(self.pool.run_snapshot(name, work)).await
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

impl DatabaseError {
    /// Whether it is certain that nothing was written.
    pub(crate) fn wrote_nothing(&self) -> bool {
        match self {
            DatabaseError::TimedOut(_)
            | DatabaseError::Transaction(TransactionError::Unknown(_)) => false,
            DatabaseError::Read(_)
            | DatabaseError::Broken(_)
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::RolledBack(_),
            ) => true,
        }
    }

    /// Whether another connection, or a moment later, may do better.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            DatabaseError::TimedOut(_)
            | DatabaseError::Read(ReadError::Pool(_))
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::Unknown(_),
            ) => true,
            DatabaseError::Read(ReadError::Driver(error))
            | DatabaseError::Transaction(TransactionError::RolledBack(error)) => {
                outcome::condemns_connection(error) || outcome::is_conflict(error)
            }
            DatabaseError::Broken(_) => false,
        }
    }

    /// The constraint that refused the transaction.
    pub(crate) fn constraint(&self) -> Option<&str> {
        match self {
            DatabaseError::Transaction(TransactionError::RolledBack(error)) => {
                error.as_db_error()?.constraint()
            }
            DatabaseError::TimedOut(_)
            | DatabaseError::Read(_)
            | DatabaseError::Broken(_)
            | DatabaseError::Transaction(
                TransactionError::NotStarted(_) | TransactionError::Unknown(_),
            ) => None,
        }
    }
}
