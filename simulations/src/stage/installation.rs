//! A `taquilla serve` installation: its configuration, all of it by environment, and its commands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;

use crate::client::Tokens;
use crate::server::{binary, free_port};
use crate::{DrillError, patience};

/// HS256 wants 32 bytes. It guards a server that nobody else can reach, for a minute.
pub(super) const JWT_KEY: &str = "a drill's key, long enough for HS256";

/// An empty schema, or the rows of a drill, on a busy machine.
const COMMAND_MAX: Duration = Duration::from_secs(60);

/// Where the commands run, and with what.
#[derive(Debug, Clone)]
pub(super) struct Installation {
    folder: PathBuf,
    port: u16,
    environment: Vec<(&'static str, String)>,
}

impl Installation {
    pub(super) fn new(
        folder: &Path,
        database_url: &str,
        configuration: Vec<(&'static str, String)>,
    ) -> Result<Self, DrillError> {
        let port = free_port()?;
        let key_file = folder.join("tickets.pem");
        make_ticket_key(&key_file)?;
        let mut environment = vec![
            ("TAQUILLA__DATABASE__URL", database_url.to_owned()),
            ("TAQUILLA__HTTP__LISTEN", format!("127.0.0.1:{port}")),
            ("TAQUILLA__METRICS__LISTEN", format!("127.0.0.1:{}", free_port()?)),
            ("TAQUILLA__AUTH__JWT_KEY", JWT_KEY.to_owned()),
            ("TAQUILLA__AUTH__ISSUER", "taquilla".to_owned()),
            ("TAQUILLA__AUTH__AUDIENCE", "taquilla".to_owned()),
            ("TAQUILLA__TICKETS__KEY_FILE", key_file.display().to_string()),
            // All buyers of a drill are at one address.
            ("TAQUILLA__LIMITS__PER_ADDRESS_PER_SECOND", "0".to_owned()),
            ("TAQUILLA__LIMITS__PER_ACCOUNT_PER_SECOND", "0".to_owned()),
            // Buyers of a drill try again and again, and what they are refused for is not to hang on the machine.
            ("TAQUILLA__LIMITS__HOLD_CHURN_FREE", "0".to_owned()),
            ("TAQUILLA__SHEDDING__ENABLED", "false".to_owned()),
        ];
        environment.extend(configuration);
        Ok(Self { folder: folder.to_owned(), port, environment })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn serve(&self) -> Result<Command, DrillError> {
        self.command(&["serve"])
    }

    pub(super) async fn migrate(&self) -> Result<(), DrillError> {
        let migrated = self.command(&["migrate"])?.kill_on_drop(true).output();
        let out = patience::within("`taquilla migrate`", COMMAND_MAX, migrated).await??;
        if out.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&out.stderr);
        Err(DrillError::Broken(format!("`taquilla migrate` ended with {}: {said}", out.status)))
    }

    pub(super) fn tokens(&self) -> Tokens {
        Tokens::new(self.folder.clone(), self.environment.clone())
    }

    pub(super) async fn own_audit(&self) -> Result<Option<String>, DrillError> {
        let audited = self.command(&["audit"])?.kill_on_drop(true).output();
        let out = patience::within("`taquilla audit`", COMMAND_MAX, audited).await??;
        let said = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
        Ok((!out.status.success()).then_some(said))
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Result<Command, DrillError> {
        let mut command = Command::new(binary::taquilla()?);
        command.args(arguments).current_dir(&self.folder).envs(self.environment.iter().cloned());
        Ok(command)
    }
}

/// A PKCS#8 PEM file with an Ed25519 key, by openssl.
fn make_ticket_key(file: &Path) -> Result<(), DrillError> {
    let out = std::process::Command::new("openssl")
        .args(["genpkey", "-algorithm", "ed25519", "-out"])
        .arg(file)
        .output()?;
    if out.status.success() {
        return Ok(());
    }
    Err(DrillError::Broken(format!("no ticket key: {}", String::from_utf8_lossy(&out.stderr))))
}
