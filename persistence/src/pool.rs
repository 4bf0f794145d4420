//! Connections for everything but the lanes: reads, money, refusals.
//!
//! Each made one acknowledged commit after connecting ([`Session::pooled`]). Rows are visible before
//! they are durable, so without it a reader could act on what a crash still takes back.

mod loan;
mod prepared;
mod transaction;

use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{self, Manager, Metrics, RecycleError, RecycleResult, TimeoutType};
use parking_lot::Mutex;
use tokio_postgres::Error;

use crate::connect::{self, ConnectError, Driven};
use crate::outcome;
use crate::session::Session;
use crate::settings::DatabaseSettings;

use self::loan::Loan;
pub use self::loan::{PooledClient, PooledConnection};
use self::prepared::Prepared;
pub use self::transaction::TransactionError;

/// Shows that the server is there, and ends a transaction that a borrower left open. ROLLBACK alone
/// would write a warning into the server's log each time.
const RECYCLE: &str = "/* recycle */ BEGIN; ROLLBACK";

/// So long after it answered in order a connection is lent without being looked at. Under load nearly
/// each is; a server that went away in between is what it is in the midst of a statement, a failure.
const SOUND_FOR: Duration = Duration::from_millis(50);

/// Why there is no connection from the pool. Nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// All are in use, and answered: more is asked at once than they can do.
    #[error("all pooled database connections are busy")]
    Busy,
    /// All are in use and none was answered, or a new one did not come about, or an idle one did not
    /// answer in time.
    #[error("no pooled database connection in time")]
    TimedOut,
    /// Cannot connect, or connected to something that must not be used.
    #[error("cannot get a pooled database connection")]
    Connect(#[source] ConnectError),
    /// The URL cannot be read.
    #[error("cannot read the database's URL")]
    Url(#[source] Error),
}

/// At most `pool_max` connections, opened when needed. Clones share them.
#[derive(Debug, Clone)]
pub struct Pool(managed::Pool<Connections>);

impl Pool {
    /// Opens nothing yet.
    ///
    /// # Errors
    /// [`PoolError::Url`].
    pub fn new(settings: &DatabaseSettings) -> Result<Pool, PoolError> {
        settings.config().map_err(PoolError::Url)?;
        let connections = Connections {
            session: Session::pooled(settings),
            settings: settings.clone(),
            answered_at: Mutex::new(None),
        };
        let pool = managed::Pool::builder(connections)
            .max_size(settings.pool_max)
            .wait_timeout(Some(settings.pool_wait_timeout))
            .recycle_timeout(Some(settings.pool_recycle_timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .expect("a runtime is given, which is all that building checks");
        Ok(Pool(pool))
    }

    /// How many connections there may be: `pool_max`.
    pub(crate) fn connections_max(&self) -> usize {
        self.0.status().max_size
    }

    /// A connection on which one acknowledged commit was made, within the time-outs. For what
    /// neither [`Pool::read`] nor [`Pool::run_tx`] can do: nothing here is measured or retried.
    ///
    /// # Errors
    /// [`PoolError`]; nothing was sent.
    pub async fn connection(&self) -> Result<PooledConnection, PoolError> {
        match self.0.get().await {
            Ok(object) => Ok(PooledConnection::new(object)),
            Err(managed::PoolError::Timeout(TimeoutType::Wait)) if self.answers() => {
                Err(PoolError::Busy)
            }
            Err(
                managed::PoolError::Timeout(
                    TimeoutType::Wait | TimeoutType::Create | TimeoutType::Recycle,
                )
                | managed::PoolError::Backend(ConnectError::TimedOut(_)),
            ) => Err(PoolError::TimedOut),
            Err(managed::PoolError::Backend(error)) => Err(PoolError::Connect(error)),
            Err(
                managed::PoolError::Closed
                | managed::PoolError::NoRuntimeSpecified
                | managed::PoolError::PostCreateHook(_),
            ) => unreachable!("never closed, a runtime was given, and there are no hooks"),
        }
    }

    /// Runs one read. A failure that says that the server went away or is a standby by now closes
    /// this connection and every idle one, so the next caller connects anew.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn read<T, F>(&self, read: impl FnOnce(PooledClient) -> F) -> Result<T, ReadError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let loan = Loan::new(self.connection().await?);
        let result = read(loan.client()).await;
        let in_doubt = result.as_ref().is_err_and(|error| self.evict_if_condemned(error));
        self.end(loan, in_doubt);
        result.map_err(ReadError::Driver)
    }

    fn end(&self, loan: Loan, in_doubt: bool) {
        if !in_doubt {
            *self.0.manager().answered_at.lock() = Some(Instant::now());
        }
        loan.end(in_doubt);
    }

    /// Whether anybody was answered while one who now gives up has waited.
    fn answers(&self) -> bool {
        let Connections { settings, answered_at, .. } = self.0.manager();
        answered_at.lock().is_some_and(|at| at.elapsed() < settings.pool_wait_timeout)
    }

    /// Whatever leads to where nothing can be written closes what is idle, too.
    fn evict_if_condemned(&self, error: &Error) -> bool {
        let condemned = outcome::condemns_connection(error);
        if condemned {
            self.0.retain(|_, _| false);
        }
        condemned
    }
}

/// A read that failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No connection.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The statement failed.
    #[error("a read failed")]
    Driver(#[source] Error),
}

/// How the pool's connections are made, and looked at before they are lent again. Making one is
/// bounded by itself.
#[derive(Debug)]
struct Connections {
    session: Session,
    settings: DatabaseSettings,
    /// When the server last answered anybody in order.
    answered_at: Mutex<Option<Instant>>,
}

/// A connection, and what is prepared on it.
#[derive(Debug)]
struct Pooled {
    driven: Driven,
    prepared: Prepared,
    /// When it last ended a loan in order. None while it is lent, and after what is not a loan.
    sound_at: Option<Instant>,
}

impl Manager for Connections {
    type Type = Pooled;
    type Error = ConnectError;

    async fn create(&self) -> Result<Pooled, ConnectError> {
        let driven = connect::connect(&self.settings, &self.session).await?;
        Ok(Pooled { driven, prepared: Prepared::default(), sound_at: None })
    }

    async fn recycle(&self, pooled: &mut Pooled, metrics: &Metrics) -> RecycleResult<ConnectError> {
        let age: Duration = metrics.age();
        if age > self.settings.connection_age_max {
            return Err(RecycleError::message("old enough to be replaced"));
        }
        let sound_at = pooled.sound_at.take();
        if sound_at.is_some_and(|at| at.elapsed() < SOUND_FOR) && !pooled.driven.client.is_closed()
        {
            return Ok(());
        }
        let alive = pooled.driven.client.batch_execute(RECYCLE).await;
        alive.map_err(|error| RecycleError::Backend(ConnectError::Driver(error)))
    }
}
