//! Everything around one server: a Postgres of its own, a proxy before it that counts statements,
//! and the payment provider. The server comes and goes; the stage stays.

mod frozen;
mod installation;
mod props;
mod provider;
mod slowed;

use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use taquilla_auditor::{Entry, Rows, read_rows};
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use taquilla_persistence::settings::DatabaseSettings;

use crate::client::{Bank, Tokens};
use crate::evidence::KeptFolder;
use crate::server::Server;
use crate::{DrillError, patience};

pub use frozen::Frozen;
use installation::Installation;
pub use props::{Props, ProviderProps};
use provider::{Planned, Provider};
pub use slowed::Slowed;

const DATABASE: &str = "drill";
/// The scratch cluster is unsafe by default; here a kill must cost nothing that was acknowledged.
const SAFE: &[(&str, &str)] = &[("fsync", "on"), ("full_page_writes", "on")];
/// After the last request every payment must come to its end: a lost answer is asked about after
/// 2 s, then with doubling pauses.
const SETTLED_MAX: Duration = Duration::from_secs(60);
/// Some ten thousand entries.
const BOOKS_MAX: Duration = Duration::from_secs(30);

/// A stage with one server at a time on it.
#[derive(Debug)]
pub struct Stage {
    // The server goes before what it stands on.
    server: Option<Server>,
    provider: Provider,
    proxy: Proxy,
    cluster: ScratchCluster,
    installation: Installation,
    database: DatabaseSettings,
    folder: KeptFolder,
}

impl Stage {
    /// Sets everything up, migrates, and starts the server.
    ///
    /// # Errors
    /// If anything does not start.
    pub async fn set_up(props: Props) -> Result<Self, DrillError> {
        let folder = KeptFolder::new("taquilla-drill-")?;
        let cluster = ScratchCluster::start(SAFE).await?;
        cluster.postgres.create_database(DATABASE).await.map_err(boxed)?;
        let proxy = Proxy::start(cluster.postgres.port()).await?;
        let database = cluster.settings(DATABASE);
        let through = proxy.before(&database);
        let planned = Planned::new(props.provider).await?;
        let configuration = [planned.environment(), props.configuration].concat();
        let installation =
            Installation::new(folder.path(), through.url.expose_secret(), configuration)?;
        let provider = planned.start(installation.command(&[])?, folder.path()).await?;
        provider.tell(&installation.url()).await?;
        installation.migrate().await?;
        let mut stage =
            Self { server: None, provider, proxy, cluster, installation, database, folder };
        stage.start_server().await?;
        Ok(stage)
    }

    /// Starts the server, and says how long it took until it was ready for traffic.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub async fn start_server(&mut self) -> Result<Duration, DrillError> {
        let command = self.installation.serve()?;
        let server = Server::start(command, &self.url(), "/readyz", &self.log()).await?;
        let ready_after = server.ready_after;
        self.server = Some(server);
        Ok(ready_after)
    }

    /// Where the server listens, whichever it is.
    #[must_use]
    pub fn url(&self) -> String {
        self.installation.url()
    }

    /// What buyers and their banks do at the payment provider.
    ///
    /// # Errors
    /// If no HTTP client can be made.
    pub fn bank(&self) -> Result<Bank, DrillError> {
        self.provider.bank()
    }

    /// What every server of this stage has said.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("server.log")
    }

    /// The proxy between server and database.
    #[must_use]
    pub fn proxy(&self) -> &Proxy {
        &self.proxy
    }

    /// SIGKILL to the server; returns how many statements had then been forwarded to Postgres
    /// without their answers having been forwarded back.
    ///
    /// # Errors
    /// [`DrillError::Broken`] if there is no server, or it had ended by itself.
    pub async fn kill_server(&mut self) -> Result<usize, DrillError> {
        let broken = |why: String| DrillError::Broken(why);
        let mut server = self.server.take().ok_or_else(|| broken("no server to kill".into()))?;
        server.send_kill().map_err(|error| broken(format!("the server had ended: {error}")))?;
        // Read after the signal: what is unanswered now will never be answered to that process.
        let in_flight = self.proxy.traffic().unanswered;
        server.reap().await?;
        Ok(in_flight)
    }

    /// Tokens that this stage's server takes.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.installation.tokens()
    }

    /// Stops every process of Postgres in its tracks, until the returned value is dropped.
    ///
    /// # Errors
    /// If the processes cannot be listed or signalled.
    pub fn freeze_postgres(&self) -> Result<Frozen, DrillError> {
        Ok(Frozen::postgres(self.cluster.postgres.pid())?)
    }

    /// Slows every process of Postgres down to a fifth, until the returned value is dropped.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn slow_postgres(&self) -> Result<Slowed, DrillError> {
        Ok(Slowed::to_a_fifth(self.cluster.postgres.pid())?)
    }

    /// The database's address, past the proxy.
    pub(crate) fn database_url(&self) -> &SecretString {
        &self.database.url
    }

    /// What guards the tokens of this stage's server.
    pub(crate) fn token_key(&self) -> &'static str {
        installation::JWT_KEY
    }

    /// Fast shutdown of Postgres.
    ///
    /// # Errors
    /// If it does not end.
    pub async fn stop_postgres(&mut self) -> Result<(), DrillError> {
        Ok(self.cluster.postgres.stop().await?)
    }

    /// SIGKILL to Postgres: what it had not flushed is gone.
    ///
    /// # Errors
    /// If it does not end.
    pub async fn kill_postgres(&mut self) -> Result<(), DrillError> {
        Ok(self.cluster.postgres.kill().await?)
    }

    /// Starts Postgres again, where it was.
    ///
    /// # Errors
    /// If it does not start, or its port was taken meanwhile: the proxy leads to that port.
    pub async fn restart_postgres(&mut self) -> Result<(), DrillError> {
        let port = self.cluster.postgres.port();
        self.cluster.postgres.restart().await?;
        if self.cluster.postgres.port() == port {
            return Ok(());
        }
        Err(DrillError::Broken("the database's port was taken while it was down".into()))
    }

    /// The rows as they are, past the proxy.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn rows(&self) -> Result<Rows, DrillError> {
        Ok(read_rows(self.database.url.expose_secret()).await?)
    }

    /// The rows, past the proxy, once every payment attempt has come to its end.
    ///
    /// # Errors
    /// [`DrillError::Late`] with those that have not.
    pub async fn settled_rows(&self) -> Result<Rows, DrillError> {
        settled_rows(&self.database.url).await
    }

    /// Whether the wire to the provider, where there is one, is spared its faults.
    pub fn spare_the_wire(&self, is_spared: bool) {
        self.provider.be_sound(is_spared);
    }

    /// The provider's books.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn books(&self) -> Result<Vec<Entry>, DrillError> {
        self.provider.books().await
    }

    /// What `taquilla audit` says; empty when it finds nothing.
    ///
    /// # Errors
    /// If it cannot be run.
    pub async fn own_audit(&self) -> Result<Option<String>, DrillError> {
        self.installation.own_audit().await
    }

    /// Where logs and recording lie.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Nobody needs the logs: the folder goes with the stage.
    pub fn went_well(&mut self) {
        self.folder.went_well();
    }
}

/// The rows of this database once every payment attempt has come to its end, and every notice that came has
/// been looked into.
pub(crate) async fn settled_rows(url: &SecretString) -> Result<Rows, DrillError> {
    let what = "every payment attempt at its end, and every notice looked into";
    patience::until(what, SETTLED_MAX, patience::SOON, async || {
        let rows = read_rows(url.expose_secret()).await?;
        let settled = rows.attempts.iter().all(|attempt| attempt.is_at_rest())
            && rows.notices.iter().all(|notice| notice.is_settled);
        Ok(settled.then_some(rows))
    })
    .await
}

/// The books of the provider at this address.
pub(crate) async fn books(url: &str) -> Result<Vec<Entry>, DrillError> {
    let read = async {
        let books = reqwest::get(format!("{url}/books")).await?;
        books.error_for_status()?.json().await
    };
    Ok(patience::within("the provider's books", BOOKS_MAX, read).await??)
}

fn boxed(error: impl std::error::Error + Send + Sync + 'static) -> DrillError {
    DrillError::Database(Box::new(error))
}
