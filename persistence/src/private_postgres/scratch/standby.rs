//! A standby of a scratch cluster: a real second server that streams from the first.
//!
//! Made from a copy of the stopped primary's folder, so it needs no program beyond the server itself.
//! Password and databases are the same on both.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicU32;

use secrecy::ExposeSecret;
use tokio::sync::OnceCell;

use super::super::{PrivatePostgres, StartError, USER};
use super::{DEFAULTS, ScratchCluster, Watchdog, fresh_folder};

impl ScratchCluster {
    /// Starts a standby of this cluster, which calls itself `name` to it. The cluster is stopped for
    /// the copy and started again; its connections end. Whether commits wait for the standby is said
    /// by the primary's `synchronous_standby_names`.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn standby(&mut self, name: &str) -> Result<ScratchCluster, StartError> {
        let folder = fresh_folder().map_err(|it| StartError::folder(&std::env::temp_dir(), it))?;
        let failed = |source| StartError::folder(&folder, source);
        let watchdog = Watchdog::over(&folder).map_err(failed)?;
        self.postgres.stop().await.map_err(failed)?;
        copy(self.postgres.folder(), &folder).map_err(failed)?;
        let signal = folder.join("postgres/standby.signal");
        std::fs::write(&signal, "").and_then(|()| self.postgres.own(&signal)).map_err(failed)?;
        self.postgres.restart().await?;
        let primary = format!(
            "host=127.0.0.1 port={} user={USER} password={} application_name={name}",
            self.postgres.port(),
            self.postgres.password().expose_secret(),
        );
        let settings =
            [DEFAULTS, &[("primary_conninfo", &primary), ("hot_standby", "on")]].concat();
        Ok(ScratchCluster {
            postgres: PrivatePostgres::start(&folder, &settings).await?,
            databases: AtomicU32::new(0),
            template: OnceCell::new(),
            _watchdog: watchdog,
        })
    }
}

/// Everything but what names the running server: its port must be another.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status()?;
    if !status.success() {
        return Err(io::Error::other("the folder cannot be copied"));
    }
    match std::fs::remove_file(to.join("postgres.port")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
