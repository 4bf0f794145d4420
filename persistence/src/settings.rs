//! How the database is reached, and every bound on waiting for it.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio_postgres::Config;

/// What a commit waits for before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SynchronousCommit {
    /// The local disk and the flush of a required standby, if the server is told to require one.
    On,
    /// The same, and until the standby shows the rows.
    RemoteApply,
}

impl SynchronousCommit {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            SynchronousCommit::On => "on",
            SynchronousCommit::RemoteApply => "remote_apply",
        }
    }
}

/// The database, as configured. The defaults are for one server in the same building.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `postgresql://user:password@host:port/database`, several hosts allowed.
    pub url: SecretString,
    /// What every commit waits for.
    pub synchronous_commit: SynchronousCommit,
    /// Refuses a server with `fsync` or `full_page_writes` off. False only in tests.
    pub crash_safe_storage_required: bool,
    /// A whole connect: name, TCP, authentication, session settings. Of several hosts each has an
    /// equal part of it, so that a silent one does not hide the next.
    pub connect_timeout: Duration,
    /// The server gives a statement up. Below `answer_timeout`, so that a slow statement ends with
    /// a definite no rather than with an unknown outcome.
    pub statement_timeout: Duration,
    /// The server gives a wait for a lock up.
    pub lock_timeout: Duration,
    /// The server ends a session whose transaction does nothing for so long.
    pub idle_in_transaction_session_timeout: Duration,
    /// A batch is given up so long after the lane let it out, the wait for a writer, a new connection
    /// and the answer together: the outcome is unknown from then on. The lane's own patience is the
    /// same. Everything else is given up so long after it was asked.
    pub answer_timeout: Duration,
    /// Unacknowledged data ends the connection: a host that vanished sends no reset.
    pub tcp_user_timeout: Duration,
    /// Silence before the first keepalive; two more follow, a second apart.
    pub keepalives_idle: Duration,
    /// Connections of all lanes together. About two a core of the database.
    pub writers_max: usize,
    /// Connections for everything else.
    pub pool_max: usize,
    /// A wait for a free connection of the pool. Batches wait for a writer as long as they have.
    pub pool_wait_timeout: Duration,
    /// The check of an idle connection before it is used again.
    pub pool_recycle_timeout: Duration,
    /// Pooled connections are replaced at this age, so that a changed address is noticed.
    pub connection_age_max: Duration,
    /// A migration's wait for another migrating process, and for each lock.
    pub migration_lock_timeout: Duration,
}

impl DatabaseSettings {
    /// The defaults for a database.
    pub fn new(url: SecretString) -> DatabaseSettings {
        DatabaseSettings {
            url,
            synchronous_commit: SynchronousCommit::On,
            crash_safe_storage_required: true,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(4),
            lock_timeout: Duration::from_secs(2),
            idle_in_transaction_session_timeout: Duration::from_secs(10),
            answer_timeout: Duration::from_secs(5),
            tcp_user_timeout: Duration::from_secs(5),
            keepalives_idle: Duration::from_secs(5),
            writers_max: 4,
            pool_max: 16,
            pool_wait_timeout: Duration::from_secs(1),
            pool_recycle_timeout: Duration::from_secs(1),
            connection_age_max: Duration::from_secs(30 * 60),
            migration_lock_timeout: Duration::from_secs(30),
        }
    }

    /// The driver's configuration.
    ///
    /// # Errors
    /// The URL cannot be read.
    pub fn config(&self) -> Result<Config, tokio_postgres::Error> {
        let mut config: Config = self.url.expose_secret().parse()?;
        config
            .connect_timeout(self.connect_timeout)
            .tcp_user_timeout(self.tcp_user_timeout)
            .keepalives(true)
            .keepalives_idle(self.keepalives_idle)
            .keepalives_interval(Duration::from_secs(1))
            .keepalives_retries(2);
        if config.get_hosts().len() > 1 {
            // Passes standbys over. No fence: a stale primary is let in, and the epoch keeps it out.
            config.target_session_attrs(tokio_postgres::config::TargetSessionAttrs::ReadWrite);
        }
        Ok(config)
    }
}
