//! One connection, driven by a task of our own, so that the server's notices are read.
//!
//! A commit whose wait for the synchronous standby was cancelled *succeeds*, with a warning: it is
//! on this disk and may be nowhere else. The warning comes before the end of the answer, so the
//! driver ends the connection there: no caller can take that commit for a durable one.

mod hosts;

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;
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
    /// Changes with each notification that the session listens to; ends with the connection.
    pub(crate) notified: watch::Receiver<()>,
}

/// Connects to the first host that takes the session: connects, authenticates, sets it up and verifies
/// it. All within the connect timeout, of which each host gets an equal part of what is left. Where
/// none takes it, the last one's failure is told.
pub(crate) async fn connect(
    settings: &DatabaseSettings,
    session: &Session,
) -> Result<Driven, ConnectError> {
    let mut config = settings.config().map_err(ConnectError::Driver)?;
    session.name_in(&mut config);
    let deadline = Instant::now() + settings.connect_timeout;
    let hosts = hosts::each(&config);
    let mut failure = ConnectError::TimedOut(settings.connect_timeout);
    for (host, left) in hosts.iter().zip((1..=hosts.len()).rev()) {
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        let limit = deadline.saturating_duration_since(Instant::now()) / left;
        let attempt = tokio::time::timeout(limit, establish(host, session)).await;
        failure = match attempt.unwrap_or(Err(ConnectError::TimedOut(limit))) {
            Ok(driven) => return Ok(driven),
            Err(failure) => failure,
        };
        tracing::debug!(error = %failure, hosts_left = left - 1, "a database host took no session");
    }
    Err(failure)
}

async fn establish(host: &Config, session: &Session) -> Result<Driven, ConnectError> {
    let driven = drive(host).await.map_err(ConnectError::Driver)?;
    session.establish(&driven.client).await?;
    Ok(driven)
}

/// Connects and hands the connection to a task. A server that never answers would keep the task
/// for ever after its client is dropped, so it is ended with its handle.
async fn drive(config: &Config) -> Result<Driven, tokio_postgres::Error> {
    let (client, connection) = config.connect(NoTls).await?;
    let not_durable = Arc::new(AtomicBool::new(false));
    let (notify, notified) = watch::channel(());
    let run = run(connection, Arc::clone(&not_durable), notify);
    let driver = AbortOnDropHandle::new(tokio::spawn(run));
    Ok(Driven { client, driver, not_durable, notified })
}

async fn run<S>(
    mut connection: Connection<Socket, S>,
    not_durable: Arc<AtomicBool>,
    notify: watch::Sender<()>,
) where
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
            Ok(AsyncMessage::Notification(_)) => {
                notify.send_replace(());
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
