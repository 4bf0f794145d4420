//! One connection, driven by a task of our own, so that the server's notices are read.
//!
//! A commit whose wait for the synchronous standby was cancelled *succeeds*, with a warning: it is
//! on this disk and may be nowhere else. The warning comes before the end of the answer, so the
//! driver ends the connection there: no caller can take that commit for a durable one.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket};
use tokio_util::task::AbortOnDropHandle;

use crate::session::{Session, SessionError};
use crate::settings::DatabaseSettings;

/// Why there is no connection. Nothing was written in any case.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody answered, or not to the end.
    #[error("no database connection within {0:?}")]
    TimedOut(Duration),
    /// The URL, the network, or the server's refusal.
    #[error("cannot connect to the database")]
    Driver(#[source] tokio_postgres::Error),
    /// Connected to something that must not be written to.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A client and the task that moves its bytes.
#[derive(Debug)]
pub(crate) struct Driven {
    pub(crate) client: Client,
    pub(crate) driver: AbortOnDropHandle<()>,
    /// Set before the driver ends because a commit was not durable.
    pub(crate) not_durable: Arc<AtomicBool>,
}

/// Connects, sets the session up and verifies it, all within the connect timeout.
pub(crate) async fn connect(
    settings: &DatabaseSettings,
    session: &Session,
) -> Result<Driven, ConnectError> {
    let limit = settings.connect_timeout;
    let attempt = async {
        let mut config = settings.config().map_err(ConnectError::Driver)?;
        session.name_in(&mut config);
        let driven = drive(&config).await.map_err(ConnectError::Driver)?;
        session.establish(&driven.client).await?;
        Ok(driven)
    };
    tokio::time::timeout(limit, attempt).await.map_err(|_| ConnectError::TimedOut(limit))?
}

/// Connects and hands the connection to a task. A server that never answers would keep the task
/// for ever after its client is dropped, so it is ended with its handle.
pub(crate) async fn drive(config: &Config) -> Result<Driven, tokio_postgres::Error> {
    let (client, connection) = config.connect(NoTls).await?;
    let not_durable = Arc::new(AtomicBool::new(false));
    let driver = AbortOnDropHandle::new(tokio::spawn(run(connection, Arc::clone(&not_durable))));
    Ok(Driven { client, driver, not_durable })
}

async fn run<S>(mut connection: Connection<Socket, S>, not_durable: Arc<AtomicBool>)
where
    S: TlsStream + Unpin,
{
    while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
        match message {
            Ok(AsyncMessage::Notice(notice)) if means_not_durable(&notice) => {
                tracing::error!(notice = notice.message(), "a commit may not be on the standby");
                not_durable.store(true, Ordering::Release);
                return;
            }
            Ok(AsyncMessage::Notice(notice)) => {
                tracing::debug!(notice = notice.message(), "notice from the database");
            }
            Ok(_) => {}
            // Whoever waits on this connection gets the failure as his own.
            Err(error) => {
                tracing::debug!(error = %error, "database connection ended");
                return;
            }
        }
    }
}

/// The text is translated by the server, so its class decides: a warning without a class of its
/// own, or one about a shutdown. Our own SQL raises none.
fn means_not_durable(notice: &DbError) -> bool {
    notice.parsed_severity() == Some(Severity::Warning)
        && (*notice.code() == SqlState::WARNING || *notice.code() == SqlState::ADMIN_SHUTDOWN)
}
