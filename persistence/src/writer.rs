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

use tokio::time::Instant;
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
    /// What [`WriterConnection::query`] asks for.
    pub name: &'static str,
    /// One statement.
    pub sql: &'static str,
}

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
    client: Client,
    not_durable: Arc<AtomicBool>,
    statements: HashMap<&'static str, Statement>,
    state: State,
    _driver: AbortOnDropHandle<()>,
}

impl WriterConnection {
    /// Connects, verifies the session and prepares the statements, within the connect timeout.
    ///
    /// # Errors
    /// [`ConnectError`]; nothing was written.
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
        let mut prepared = HashMap::with_capacity(statements.len());
        for NamedStatement { name, sql } in statements {
            let statement = driven.client.prepare(sql).await.map_err(ConnectError::Driver)?;
            prepared.insert(*name, statement);
        }
        Ok(WriterConnection {
            client: driven.client,
            not_durable: driven.not_durable,
            statements: prepared,
            state: State::Idle,
            _driver: driven.driver,
        })
    }

    /// Runs the named statement and returns its rows. No answer by the deadline: nobody knows.
    ///
    /// # Errors
    /// [`WriteError`]: refused, unknown, or not sent.
    ///
    /// # Panics
    /// If no statement of that name was given when connecting.
    pub async fn query(
        &mut self,
        name: &str,
        params: &[&(dyn ToSql + Sync)],
        deadline: Instant,
    ) -> Result<Vec<Row>, WriteError> {
        if !self.is_usable() {
            return Err(WriteError::NotSent);
        }
        let statement = self.statements.get(name);
        let statement = statement.unwrap_or_else(|| panic!("no statement is named {name:?}"));
        self.state = State::InFlight;
        let answer = tokio::time::timeout_at(deadline, self.client.query(statement, params)).await;
        self.settle(answer)
    }

    /// Whether a statement may be sent: idle, never in doubt, and the server still there as far as
    /// is known.
    pub fn is_usable(&self) -> bool {
        self.state == State::Idle && !self.client.is_closed()
    }

    fn settle<T>(&mut self, answer: Result<Result<T, Error>, Elapsed>) -> Result<T, WriteError> {
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
            Err(_) => UnknownCause::TimedOut,
        };
        self.state = State::Poisoned;
        Err(WriteError::Unknown(cause))
    }
}
