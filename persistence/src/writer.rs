//! A lane's connection: each statement ends as a yes, a no, or an unknown, never as a guess.
//!
//! One statement at a time, in autocommit. No cancel is ever sent: it could turn the wait for a
//! standby into a false yes. After an unknown outcome the connection is done for; the server may
//! still commit what was sent, and only rows written with it, read after the next epoch bump, tell.

mod error;
mod pool;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::error::Elapsed;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};
use tokio_util::task::AbortOnDropHandle;

use crate::connect::{self, ConnectError};
use crate::outcome;
use crate::session::Session;
use crate::settings::DatabaseSettings;

pub use self::error::{UnknownCause, WriteError};
pub use self::pool::{BorrowError, BorrowedWriter, WriterPool};

/// A statement that every writer prepares when it connects. The SQL opens with `/* name */`.
#[derive(Debug, Clone, Copy)]
pub struct NamedStatement {
    /// What [`WriterConnection::query`] and [`WriterConnection::execute`] ask for.
    pub name: &'static str,
    /// One statement.
    pub sql: &'static str,
}

const BEGIN_SNAPSHOT: &str = "/* read_snapshot */ BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/// The first statement fails if `read` swallowed a failure, which COMMIT would not.
const END_SNAPSHOT: &str = "/* read_snapshot */ SELECT 1; COMMIT";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Also what remains when a caller drops the wait: then nobody learns the outcome.
    InFlight,
    Poisoned,
}

/// One connection that may write. Dropping it closes the socket and sends nothing.
#[derive(Debug)]
pub struct WriterConnection {
    client: Arc<Client>,
    not_durable: Arc<AtomicBool>,
    statements: HashMap<&'static str, Statement>,
    answer_timeout: Duration,
    backend_pid: i32,
    state: State,
    _driver: AbortOnDropHandle<()>,
}

impl WriterConnection {
    /// Connects, verifies the session and prepares the statements, within the connect timeout.
    pub async fn connect(
        settings: &DatabaseSettings,
        session: &Session,
        statements: &[NamedStatement],
    ) -> Result<WriterConnection, ConnectError> {
        let limit = settings.connect_timeout;
        let attempt = WriterConnection::open(settings, session, statements);
        tokio::time::timeout(limit, attempt).await.map_err(|_| ConnectError::TimedOut(limit))?
    }

    async fn open(
        settings: &DatabaseSettings,
        session: &Session,
        statements: &[NamedStatement],
    ) -> Result<WriterConnection, ConnectError> {
        let driven = connect::connect(settings, session).await?;
        let client = Arc::new(driven.client);
        let mut prepared = HashMap::with_capacity(statements.len());
        for NamedStatement { name, sql } in statements {
            let statement = client.prepare(sql).await.map_err(ConnectError::Driver)?;
            prepared.insert(*name, statement);
        }
        let backend_pid = client
            .query_typed("/* backend_pid */ SELECT pg_backend_pid()", &[])
            .await
            .and_then(|rows| rows[0].try_get(0))
            .map_err(ConnectError::Driver)?;
        Ok(WriterConnection {
            client,
            not_durable: driven.not_durable,
            statements: prepared,
            answer_timeout: settings.answer_timeout,
            backend_pid,
            state: State::Idle,
            _driver: driven.driver,
        })
    }

    /// Runs the named statement and returns its rows.
    ///
    /// # Panics
    ///
    /// If no statement of that name was given when connecting.
    pub async fn query(
        &mut self,
        name: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, WriteError> {
        let statement = self.statement(name).clone();
        self.begin()?;
        let answer = self.client.query(&statement, params);
        let answer = tokio::time::timeout(self.answer_timeout, answer).await;
        self.settle(answer, self.answer_timeout)
    }

    /// Runs the named statement and returns how many rows it changed.
    ///
    /// # Panics
    ///
    /// As [`WriterConnection::query`].
    pub async fn execute(
        &mut self,
        name: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, WriteError> {
        let statement = self.statement(name).clone();
        self.begin()?;
        let answer = self.client.execute(&statement, params);
        let answer = tokio::time::timeout(self.answer_timeout, answer).await;
        self.settle(answer, self.answer_timeout)
    }

    /// Runs reads that must agree with each other, in one snapshot of what is committed now, on
    /// this very connection: for the new owner, after its epoch bump was acknowledged here.
    /// `within` bounds them together. Any failure ends the connection; nothing was written.
    pub async fn read_snapshot<T, F>(
        &mut self,
        within: Duration,
        read: impl FnOnce(Arc<Client>) -> F,
    ) -> Result<T, WriteError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.begin()?;
        let client = Arc::clone(&self.client);
        let answer = tokio::time::timeout(within, async {
            client.batch_execute(BEGIN_SNAPSHOT).await?;
            let value = read(Arc::clone(&client)).await?;
            client.batch_execute(END_SNAPSHOT).await?;
            Ok(value)
        })
        .await;
        let result = self.settle(answer, within);
        if result.is_err() {
            // After a refusal the transaction is still open.
            self.state = State::Poisoned;
        }
        result
    }

    /// The named prepared statement, for its parameter and column types.
    ///
    /// # Panics
    ///
    /// As [`WriterConnection::query`].
    pub fn statement(&self, name: &str) -> &Statement {
        self.statements.get(name).unwrap_or_else(|| panic!("no statement is named {name:?}"))
    }

    /// Whether a statement may be sent: idle, never in doubt, and the server still there as far as
    /// is known.
    pub fn is_usable(&self) -> bool {
        self.state == State::Idle && !self.client.is_closed()
    }

    /// The server process behind it, for `pg_terminate_backend` by the next owner.
    pub fn backend_pid(&self) -> i32 {
        self.backend_pid
    }

    fn begin(&mut self) -> Result<(), WriteError> {
        if !self.is_usable() {
            return Err(WriteError::NotSent);
        }
        self.state = State::InFlight;
        Ok(())
    }

    fn settle<T>(
        &mut self,
        answer: Result<Result<T, Error>, Elapsed>,
        limit: Duration,
    ) -> Result<T, WriteError> {
        let cause = match answer {
            Ok(Ok(yes)) => {
                self.state = State::Idle;
                return Ok(yes);
            }
            Ok(Err(error)) if outcome::is_definite_no(&error) => {
                self.state = State::Idle;
                return Err(WriteError::Refused(error));
            }
            Ok(Err(_)) if self.not_durable.load(Ordering::Acquire) => UnknownCause::NotDurable,
            Ok(Err(error)) => UnknownCause::Lost(error),
            Err(_) => UnknownCause::TimedOut(limit),
        };
        self.state = State::Poisoned;
        Err(WriteError::Unknown(cause))
    }
}
