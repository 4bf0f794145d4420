//! From a folder to a server that takes connections: one that still runs, or a new one.

use std::io;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use secrecy::ExposeSecret;
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

use super::{POLL, PrivatePostgres, START_MAX, StartError, processes};

/// Someone else may take the chosen port between the check and the start.
const PORTS_TRIED_MAX: usize = 5;

impl PrivatePostgres {
    /// Whether a server was running in the folder and is now ours.
    pub(super) async fn take_up(&mut self) -> Result<bool, StartError> {
        let data = self.folder.data();
        let failed = |source| StartError::folder(&data, source);
        let deadline = Instant::now() + START_MAX;
        loop {
            let living = processes::living_in(&data).map_err(failed)?;
            let postmaster = self.folder.postmaster().filter(|(pid, _)| living.contains(pid));
            match postmaster {
                Some((pid, port)) => {
                    (self.pid, self.port) = (pid, port);
                    if self.answers().await? {
                        return Ok(true);
                    }
                }
                // Children of a killed postmaster still write: no second server beside them.
                None if !living.is_empty() => self.bury().await.map_err(failed)?,
                None => {
                    self.folder.forget_postmaster().map_err(failed)?;
                    return Ok(false);
                }
            }
            // Starting up, or shutting down: either ends.
            if Instant::now() >= deadline {
                return Err(StartError::NotReady { log: self.folder.log_tail() });
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Starts the server and waits until it takes connections.
    pub(super) async fn launch(&mut self) -> Result<(), StartError> {
        for _ in 0..PORTS_TRIED_MAX {
            let data = self.folder.data();
            let failed = |source| StartError::folder(&data, source);
            self.port = self.folder.choose_port().map_err(failed)?;
            let mut child = self.spawn().map_err(failed)?;
            self.pid = child.id();
            let deadline = Instant::now() + START_MAX;
            let ended = loop {
                if child.try_wait().map_err(failed)?.is_some() {
                    break true;
                }
                if self.answers().await? {
                    break false;
                }
                if Instant::now() >= deadline {
                    // Left running: a long recovery goes on, and the next start takes it up.
                    return Err(StartError::NotReady { log: self.folder.log_tail() });
                }
                tokio::time::sleep(POLL).await;
            };
            if !ended {
                self.child = Some(child);
                return Ok(());
            }
            if !self.folder.log_tail().contains("Address already in use") {
                break;
            }
        }
        Err(StartError::Ended { log: self.folder.log_tail() })
    }

    fn spawn(&self) -> io::Result<Child> {
        let (mut command, seen) =
            self.identity.command(&self.binaries.postgres(), &self.folder.data())?;
        let log = self.folder.new_log()?;
        command.arg("-D").arg(seen).args(["-p", &self.port.to_string()]);
        let ours = [("listen_addresses", "127.0.0.1"), ("unix_socket_directories", "")];
        let given = self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in given.chain(ours) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.stdout(Stdio::from(log.try_clone()?)).stderr(Stdio::from(log)).spawn()
    }

    /// Whether the server takes a session with the stored password. Both sides prove that they
    /// know it (SCRAM), so a stranger on the same port is not mistaken for ours.
    async fn answers(&self) -> Result<bool, StartError> {
        let url = self.url("postgres");
        let attempt = tokio_postgres::connect(url.expose_secret(), NoTls);
        match tokio::time::timeout(Duration::from_secs(1), attempt).await {
            Ok(Ok(_)) => Ok(true),
            Ok(Err(error)) if error.code() == Some(&SqlState::INVALID_PASSWORD) => {
                Err(StartError::WrongPassword)
            }
            Ok(Err(_)) | Err(_) => Ok(false),
        }
    }
}
