//! `taquilla dev` on a folder of its own, killed and started again, and nothing left of it at the
//! end: its Postgres and its provider outlive it by design.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use secrecy::SecretString;
use serde_json::Value;
use taquilla_auditor::{Entry, Rows};
use taquilla_persistence::private_postgres::PrivatePostgres;
use tokio::process::Command;

use super::signal::is_running;
use super::{Server, Signal, binary, free_port, send};
use crate::evidence::KeptFolder;
use crate::{DrillError, patience, stage};

/// How deep below the data folder its children leave their numbers.
const DEPTH_MAX: usize = 3;
/// The system keeps 15 letters of a program's name.
const PROVIDER: &str = "taquilla";
const POSTGRES: &str = "postgres";
/// An immediate shutdown writes nothing.
const LEAVING_MAX: Duration = Duration::from_secs(5);
/// A start of its Postgres included.
const COMMAND_MAX: Duration = Duration::from_secs(60);
/// Of its Postgres.
const DATABASE: &str = "taquilla";

/// A development server whose children end with this value, even when a panic drops it.
#[derive(Debug)]
pub struct DevServer {
    arguments: &'static [&'static str],
    /// Answers 200 once the start is done.
    ready: &'static str,
    folder: KeptFolder,
    port: u16,
    metrics_port: u16,
    server: Option<Server>,
}

impl DevServer {
    /// Starts one without the demo, on free ports and an empty folder.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub async fn start() -> Result<Self, DrillError> {
        Self::start_with(&["--no-demo"], "/readyz").await
    }

    /// Starts one with the demo.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub async fn start_with_demo() -> Result<Self, DrillError> {
        // The last thing that its start makes.
        Self::start_with(&[], "/events/demo-onsale").await
    }

    async fn start_with(
        arguments: &'static [&'static str],
        ready: &'static str,
    ) -> Result<Self, DrillError> {
        let mut dev = Self {
            arguments,
            ready,
            folder: KeptFolder::new("taquilla-dev-")?,
            port: free_port()?,
            metrics_port: free_port()?,
            server: None,
        };
        dev.start_again().await?;
        Ok(dev)
    }

    /// Starts it on the same folder and ports.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub async fn start_again(&mut self) -> Result<(), DrillError> {
        let mut command = Command::new(binary::taquilla()?);
        command.arg("dev").args(self.arguments).args(["--port", &self.port.to_string()]);
        command.args(["--metrics-port", &self.metrics_port.to_string()]);
        command.arg("--data-dir").arg(self.data_dir());
        let log = self.folder.path().join("dev.log");
        self.server = Some(Server::start(command, &self.url(), self.ready, &log).await?);
        Ok(())
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What `--data-dir` names.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The rows, once every payment attempt has come to its end.
    ///
    /// # Errors
    /// [`DrillError::Late`], or if its Postgres cannot be taken up.
    pub async fn settled_rows(&self) -> Result<Rows, DrillError> {
        stage::settled_rows(&self.database_url().await?).await
    }

    /// Its Postgres is taken up as any command would; it goes with this value in any case.
    async fn database_url(&self) -> Result<SecretString, DrillError> {
        let folder = self.data_dir().join(POSTGRES);
        let postgres = PrivatePostgres::start(&folder, &[]);
        let postgres = patience::within("a private Postgres", COMMAND_MAX, postgres).await??;
        Ok(postgres.url(DATABASE))
    }

    /// The provider's books.
    ///
    /// # Errors
    /// If it does not say where it is, or does not answer.
    pub async fn books(&self) -> Result<Vec<Entry>, DrillError> {
        let file = fs::read(self.data_dir().join("provider/provider.json"))?;
        let file: Value = serde_json::from_slice(&file).unwrap_or_default();
        let url = file["url"].as_str();
        let url = url.ok_or_else(|| DrillError::Broken(format!("no provider: {file}")))?;
        stage::books(url).await
    }

    /// What `taquilla audit` says; empty when it finds nothing.
    ///
    /// # Errors
    /// If it cannot be run.
    pub async fn own_audit(&self) -> Result<Option<String>, DrillError> {
        let mut command = Command::new(binary::taquilla()?);
        command.args(["audit", "--data-dir"]).arg(self.data_dir()).kill_on_drop(true);
        let out = patience::within("`taquilla audit`", COMMAND_MAX, command.output()).await??;
        let said = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
        Ok((!out.status.success()).then_some(said))
    }

    /// Where logs and recording lie.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Nobody needs the logs: the folder goes with this value.
    pub fn went_well(&mut self) {
        self.folder.went_well();
    }

    /// SIGKILL to the server alone.
    ///
    /// # Errors
    /// As [`Server::kill`].
    pub async fn kill(&mut self) -> Result<(), DrillError> {
        match self.server.take() {
            Some(server) => server.kill().await,
            None => Ok(()),
        }
    }
}

impl Drop for DevServer {
    fn drop(&mut self) {
        // The value kills the process; nothing can be done here about a failure of the rest.
        drop(self.server.take());
        let (mut postmasters, mut providers) = (Vec::new(), Vec::new());
        collect(&self.data_dir(), DEPTH_MAX, &mut postmasters, &mut providers);
        postmasters.retain(|pid| is_running(*pid, POSTGRES));
        providers.retain(|pid| is_running(*pid, PROVIDER));
        let _ = send(Signal::Quit, &postmasters);
        let _ = send(Signal::Kill, &providers);
        // The folder goes next, and its owners must not write to it any more.
        let deadline = Instant::now() + LEAVING_MAX;
        while postmasters.iter().any(|pid| is_running(*pid, POSTGRES)) && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The process ids in every `postmaster.pid` and `provider.json` below the folder.
fn collect(folder: &Path, depth: usize, postmasters: &mut Vec<u32>, providers: &mut Vec<u32>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let content = || fs::read_to_string(&path).unwrap_or_default();
        match path.file_name().and_then(|name| name.to_str()) {
            Some("postmaster.pid") => {
                postmasters
                    .extend(content().lines().next().and_then(|line| line.parse::<u32>().ok()));
            }
            Some("provider.json") => {
                let file: Value = serde_json::from_str(&content()).unwrap_or_default();
                providers.extend(file["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()));
            }
            _ if depth > 0 && path.is_dir() => collect(&path, depth - 1, postmasters, providers),
            _ => {}
        }
    }
}
