//! The cluster's folder: the data, and beside it what only its owner may read.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::TcpListener;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::Rng;
use rand::distr::Alphanumeric;
use secrecy::SecretString;

use super::StartError;
use super::binaries::Binaries;
use super::identity::Identity;

/// On a slow disk a new cluster's files take a while to be flushed.
const INITDB_MAX: Duration = Duration::from_secs(120);

/// How much of the log an error carries.
const LOG_TAIL_BYTES: u64 = 2_000;

#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        std::fs::create_dir_all(path)?;
        Ok(Folder(path.canonicalize()?))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn data(&self) -> PathBuf {
        self.0.join("postgres")
    }

    /// Held while a start is under way, so that two of them do not both run initdb.
    pub(super) async fn lock(&self, within: Duration) -> io::Result<File> {
        let file = private(&self.0.join("postgres.lock"))?;
        let deadline = Instant::now() + within;
        while file.try_lock().is_err() {
            if Instant::now() >= deadline {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "another start holds the folder",
                ));
            }
            tokio::time::sleep(super::POLL).await;
        }
        Ok(file)
    }

    /// A new log for each start; the one before is kept, so the two together stay bounded by runs.
    pub(super) fn new_log(&self) -> io::Result<File> {
        let path = self.0.join("postgres.log");
        match std::fs::rename(&path, self.0.join("postgres.log.old")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        private(&path)
    }

    pub(super) fn log_tail(&self) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.0.join("postgres.log"))?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES)))?;
            let mut tail = Vec::new();
            file.read_to_end(&mut tail)?;
            Ok(tail)
        };
        read().map_or_else(
            |error| format!("(no log: {error})"),
            |tail| String::from_utf8_lossy(&tail).trim_end().to_owned(),
        )
    }

    pub(super) fn password_file(&self) -> PathBuf {
        self.0.join("postgres.password")
    }

    pub(super) fn password(&self) -> io::Result<SecretString> {
        let password = std::fs::read_to_string(self.password_file())?;
        Ok(SecretString::from(password.trim_end().to_owned()))
    }

    /// The port of the last start if it is free, else any free one, which is then remembered.
    pub(super) fn choose_port(&self) -> io::Result<u16> {
        let remembered = self.0.join("postgres.port");
        let last = std::fs::read_to_string(&remembered).ok().and_then(|it| it.trim().parse().ok());
        if let Some(port) = last.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()) {
            return Ok(port);
        }
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        std::fs::write(&remembered, port.to_string())?;
        Ok(port)
    }

    /// The pid and port that the running server wrote down, if it has got that far.
    pub(super) fn postmaster(&self) -> Option<(u32, u16)> {
        let file = std::fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let mut lines = file.lines();
        let pid = lines.next()?.trim().parse().ok()?;
        let port = lines.nth(2)?.trim().parse().ok()?;
        Some((pid, port))
    }

    /// Removes the note of a server that is gone. Only for who has seen that no process lives in
    /// the data folder: Postgres itself trusts the pid, which may be a zombie or someone else's.
    pub(super) fn forget_postmaster(&self) -> io::Result<()> {
        match std::fs::remove_file(self.data().join("postmaster.pid")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Runs initdb beside the data folder and moves the result there, so that a start which was
    /// interrupted leaves nothing half made under the final name.
    pub(super) async fn initialise(
        &self,
        binaries: &Binaries,
        identity: Identity,
        flush: bool,
    ) -> Result<(), StartError> {
        if self.data().join("PG_VERSION").exists() {
            return Ok(());
        }
        let new = self.0.join("postgres.new");
        let password = self.prepare(&new, identity).map_err(|it| StartError::folder(&new, it))?;
        let (mut command, seen) = identity
            .command(&binaries.initdb(), &new)
            .map_err(|source| StartError::folder(&new, source))?;
        command
            .arg("--pgdata")
            .arg(seen.join("data"))
            .arg("--pwfile")
            .arg(seen.join("password"))
            .args(["--username", super::USER, "--auth", "scram-sha-256", "--data-checksums"])
            .args(["--locale", "C.UTF-8", "--encoding", "UTF8"]);
        if !flush {
            command.arg("--no-sync");
        }
        // Its children end with it: they read from it.
        let run = tokio::process::Command::from(command).kill_on_drop(true).output();
        let run = tokio::time::timeout(INITDB_MAX, run).await;
        let output = run
            .map_err(|_| StartError::Initdb { said: format!("no end within {INITDB_MAX:?}") })?
            .map_err(|source| StartError::folder(&new, source))?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            return Err(StartError::Initdb { said: String::from_utf8_lossy(&said).into_owned() });
        }
        self.adopt(&new, &password).map_err(|source| StartError::folder(&self.0, source))
    }

    fn prepare(&self, new: &Path, identity: Identity) -> io::Result<String> {
        match std::fs::remove_dir_all(new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => std::fs::create_dir(new)?,
        }
        let password: String =
            rand::rng().sample_iter(Alphanumeric).take(32).map(char::from).collect();
        let file = new.join("password");
        private(&file)?.write_all(password.as_bytes())?;
        for path in [new, &file] {
            identity.own(path)?;
        }
        std::fs::set_permissions(new, Permissions::from_mode(0o700))?;
        Ok(password)
    }

    fn adopt(&self, new: &Path, password: &str) -> io::Result<()> {
        let mut file = private(&self.password_file())?;
        file.write_all(password.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(new.join("data"), self.data())?;
        std::fs::remove_dir_all(new)
    }
}

/// A file that only its owner reads, empty.
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)
}
