//! Clusters that end with the process that made them: for tests and benches of every crate.
//!
//! Tests of one binary share one cluster ([`shared`]) and take a database each. A watchdog, a small
//! shell that waits for the end of a pipe which only this process holds, stops the server and
//! removes its folder however the process ends, SIGKILL included.
//!
//! Not for data: `fsync` is off unless the caller turns it on.

mod standby;

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rand::Rng;
use tokio::sync::OnceCell;

use super::{PrivatePostgres, StartError};
use crate::migrations::{self, MigrationError};
use crate::settings::DatabaseSettings;

/// Small and fast; enough sessions for many tests side by side.
const DEFAULTS: &[(&str, &str)] = &[
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("shared_buffers", "64MB"),
    ("max_connections", "200"),
    ("log_statement", "none"),
];

const WATCHDOG: &str = r#"
cat >/dev/null
pid=$(head -n 1 "$1/postgres/postmaster.pid" 2>/dev/null)
if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = postgres ]; then kill -QUIT "$pid"; fi
tries=0
while [ -e "/proc/$pid/cwd" ] && [ "$tries" -lt 200 ]; do sleep 0.02; tries=$((tries + 1)); done
rm -rf "$1"
"#;

/// The database that [`ScratchCluster::migrated_database`] copies.
const TEMPLATE: &str = "migrated_template";

/// The cluster that the tests of this process share, started on first use.
///
/// # Panics
///
/// If it cannot be started: without a database there is nothing to test.
pub async fn shared() -> &'static ScratchCluster {
    static SHARED: OnceCell<ScratchCluster> = OnceCell::const_new();
    SHARED
        .get_or_init(async || match ScratchCluster::start(&[]).await {
            Ok(cluster) => cluster,
            Err(error) => {
                panic!("no scratch cluster: {error}: {:?}", std::error::Error::source(&error))
            }
        })
        .await
}

/// Why there is no database with the schema.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// It could not be made.
    #[error(transparent)]
    Database(#[from] StartError),
    /// Its schema could not be made.
    #[error(transparent)]
    Migration(#[from] MigrationError),
}

/// A cluster in a fresh folder, stopped and removed when it is dropped.
#[derive(Debug)]
pub struct ScratchCluster {
    /// The server, for tests that stop, kill or restart it.
    pub postgres: PrivatePostgres,
    databases: AtomicU32,
    template: OnceCell<()>,
    _watchdog: Watchdog,
}

impl ScratchCluster {
    /// A cluster of one's own, for tests that stop it or change what all its databases share.
    /// `settings` are added to, and win over, those that make it fast.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(settings: &[(&str, &str)]) -> Result<ScratchCluster, StartError> {
        let folder = fresh_folder().map_err(|it| StartError::folder(&std::env::temp_dir(), it))?;
        let watchdog =
            Watchdog::over(&folder).map_err(|source| StartError::folder(&folder, source))?;
        let settings = [DEFAULTS, settings].concat();
        Ok(ScratchCluster {
            postgres: PrivatePostgres::start(&folder, &settings).await?,
            databases: AtomicU32::new(0),
            template: OnceCell::new(),
            _watchdog: watchdog,
        })
    }

    /// A new, empty database whose name begins with `name`, and how to reach it.
    ///
    /// # Errors
    /// [`StartError`] if it cannot be made.
    pub async fn database(&self, name: &str) -> Result<DatabaseSettings, StartError> {
        let name = self.next_name(name);
        self.postgres.create_database(&name).await?;
        Ok(self.settings(&name))
    }

    /// A new database with the whole schema: a copy, so migrations run once a cluster.
    ///
    /// # Errors
    /// [`ScratchError`].
    pub async fn migrated_database(&self, name: &str) -> Result<DatabaseSettings, ScratchError> {
        self.template
            .get_or_try_init(async || {
                self.postgres.create_database(TEMPLATE).await?;
                migrations::migrate(&self.settings(TEMPLATE)).await?;
                Ok::<_, ScratchError>(())
            })
            .await?;
        let name = self.next_name(name);
        self.postgres.copy_database(TEMPLATE, &name).await?;
        Ok(self.settings(&name))
    }

    /// How to reach a database of this cluster, with storage allowed to be as unsafe as it is.
    pub fn settings(&self, database: &str) -> DatabaseSettings {
        DatabaseSettings {
            crash_safe_storage_required: false,
            ..DatabaseSettings::new(self.postgres.url(database))
        }
    }

    fn next_name(&self, name: &str) -> String {
        format!("{name}_{}", self.databases.fetch_add(1, Ordering::Relaxed))
    }
}

fn fresh_folder() -> io::Result<PathBuf> {
    let name =
        format!("taquilla-scratch-{}-{:08x}", std::process::id(), rand::rng().random::<u32>());
    let folder = std::env::temp_dir().join(name);
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

#[derive(Debug)]
struct Watchdog(Child);

impl Watchdog {
    fn over(folder: &Path) -> io::Result<Watchdog> {
        Command::new("/bin/sh")
            .args(["-c", WATCHDOG, "sh"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map(Watchdog)
    }
}

impl Drop for Watchdog {
    /// Returns once the server has ended and the folder is gone.
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // Nothing can be done about a failure here, and the folder is in the temporary directory.
        let _ = self.0.wait();
    }
}
