//! Tokens by `taquilla token`, as anyone would get them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Semaphore;

use crate::server::binary;
use crate::{DrillError, patience};

/// Processes at once, so that minting for hundreds of buyers leaves the machine to the server.
const AT_ONCE_MAX: usize = 2;
/// It reads a key and signs.
const MINTED_MAX: Duration = Duration::from_secs(30);

/// Mints tokens for one installation.
#[derive(Debug, Clone)]
pub struct Tokens {
    folder: PathBuf,
    environment: Vec<(&'static str, String)>,
    arguments: Vec<String>,
    turns: Arc<Semaphore>,
}

impl Tokens {
    /// For an installation that is configured by environment.
    pub(crate) fn new(folder: PathBuf, environment: Vec<(&'static str, String)>) -> Self {
        let turns = Arc::new(Semaphore::new(AT_ONCE_MAX));
        Self { folder, environment, arguments: Vec::new(), turns }
    }

    /// For a `taquilla dev` on this folder.
    #[must_use]
    pub fn of_dev(data_dir: PathBuf) -> Self {
        let arguments = vec!["--data-dir".into(), data_dir.display().to_string()];
        Self { arguments, ..Self::new(data_dir, Vec::new()) }
    }

    /// A token that says so.
    ///
    /// # Errors
    /// [`DrillError::Broken`] with what the command said.
    pub async fn mint(&self, sub: &str, scope: Option<&str>) -> Result<String, DrillError> {
        let _turn = self.turns.acquire().await.expect("the turns are never closed");
        let mut command = Command::new(binary::taquilla()?);
        command.args(["token", "--sub", sub, "--ttl", "3600"]).args(&self.arguments);
        command.args(scope.into_iter().flat_map(|scope| ["--scope", scope]));
        command.envs(self.environment.iter().cloned()).current_dir(&self.folder);
        let minted = command.kill_on_drop(true).output();
        let out = patience::within("a token", MINTED_MAX, minted).await??;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr);
            return Err(DrillError::Broken(format!("`taquilla token`: {}: {said}", out.status)));
        }
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    }
}
