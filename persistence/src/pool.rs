//! Connections for everything but the lanes: reads, money, the relay.
//!
//! Each made one acknowledged commit after connecting. Rows are visible before they are durable, so
//! without it a reader could act on what a crash still takes back.

mod loan;
mod transaction;

use std::pin::Pin;

use deadpool_postgres::{
    Connect, Hook, HookError, Manager, ManagerConfig, PoolError as DeadpoolError, RecyclingMethod,
    Runtime, TimeoutType,
};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};

use crate::connect;
use crate::outcome;
use crate::session::{Session, SessionError};
use crate::settings::DatabaseSettings;

use self::loan::Loan;
pub use self::loan::{PooledClient, PooledConnection};
pub use self::transaction::TransactionError;

/// Writes a commit record and waits for it as any commit of the session does.
const ACKNOWLEDGED_COMMIT: &str =
    "/* acknowledged_commit */ SELECT pg_logical_emit_message(true, 'taquilla', '')";

/// Shows that the server is there, and ends a transaction that a borrower left open. ROLLBACK alone
/// would write a warning into the server's log each time.
const RECYCLE: &str = "/* recycle */ BEGIN; ROLLBACK";

/// Why there is no connection from the pool. Nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// All are in use, or a new one did not come about, or an idle one did not answer in time.
    #[error("no pooled database connection in time")]
    TimedOut,
    /// Cannot connect, or connected to something that must not be used.
    #[error("cannot connect to the database")]
    Connect(#[source] DeadpoolError),
    /// The URL cannot be read.
    #[error("cannot read the database's URL")]
    Url(#[source] Error),
}

/// At most `pool_max` connections, opened when needed. Clones share them.
#[derive(Debug, Clone)]
pub struct Pool(deadpool_postgres::Pool);

impl Pool {
    /// Opens nothing yet.
    pub fn new(settings: &DatabaseSettings) -> Result<Pool, PoolError> {
        let session = Session::pooled(settings);
        let mut config = settings.config().map_err(PoolError::Url)?;
        session.name_in(&mut config);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Custom(RECYCLE.into()) };
        let age_max = settings.connection_age_max;
        let pool =
            deadpool_postgres::Pool::builder(Manager::from_connect(config, Drive, recycling))
                .max_size(settings.pool_max)
                .wait_timeout(Some(settings.pool_wait_timeout))
                .create_timeout(Some(settings.connect_timeout))
                .recycle_timeout(Some(settings.pool_recycle_timeout))
                .runtime(Runtime::Tokio1)
                .post_create(Hook::async_fn(move |client, _| {
                    let session = session.clone();
                    Box::pin(async move {
                        establish(&session, client).await.map_err(|error| match error {
                            SessionError::Driver(error) => HookError::Backend(error),
                            unexpected => HookError::message(unexpected.to_string()),
                        })
                    })
                }))
                .pre_recycle(Hook::sync_fn(move |_, metrics| {
                    if metrics.age() > age_max {
                        return Err(HookError::message("old enough to be replaced"));
                    }
                    Ok(())
                }))
                .build()
                .expect("a runtime is given, which is all that building checks");
        Ok(Pool(pool))
    }

    /// A connection on which one acknowledged commit was made, within the time-outs. For what
    /// neither [`Pool::read`] nor [`Pool::run_tx`] can do: nothing here is measured or retried.
    pub async fn connection(&self) -> Result<PooledConnection, PoolError> {
        match self.0.get().await {
            Ok(object) => Ok(PooledConnection::new(object)),
            Err(DeadpoolError::Timeout(
                TimeoutType::Wait | TimeoutType::Create | TimeoutType::Recycle,
            )) => Err(PoolError::TimedOut),
            Err(error) => Err(PoolError::Connect(error)),
        }
    }

    /// Runs one read. A failure that says that the server went away or is a standby by now closes
    /// this connection and every idle one, so the next caller connects anew.
    pub async fn read<T, F>(&self, read: impl FnOnce(PooledClient) -> F) -> Result<T, ReadError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let loan = Loan::new(self.connection().await?);
        let result = read(loan.client()).await;
        let in_doubt = result.as_ref().is_err_and(|error| self.evict_if_condemned(error));
        loan.end(in_doubt);
        result.map_err(ReadError::Driver)
    }

    /// Closes what is idle, for instance when the primary has changed.
    pub fn close_idle(&self) {
        self.0.retain(|_, _| false);
    }

    /// Refuses new callers; what is in use is closed when it comes back.
    pub fn close(&self) {
        self.0.close();
    }

    fn evict_if_condemned(&self, error: &Error) -> bool {
        let condemned = outcome::condemns_connection(error);
        if condemned {
            self.close_idle();
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

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Connects with our own driver, so that a commit which is not durable ends the connection.
struct Drive;

impl Connect for Drive {
    fn connect(&self, config: &Config) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), Error>> {
        let config = config.clone();
        Box::pin(async move {
            let driven = connect::drive(&config).await?;
            // deadpool aborts it when it drops the client.
            Ok((driven.client, driven.driver.detach()))
        })
    }
}

async fn establish(session: &Session, client: &Client) -> Result<(), SessionError> {
    session.establish(client).await?;
    client.batch_execute(ACKNOWLEDGED_COMMIT).await.map_err(SessionError::Driver)
}
