//! A Postgres of one's own, from local binaries: for `taquilla dev`, tests and benches.
//!
//! It listens on 127.0.0.1 only, asks for a random password, and lives in one folder. It outlives
//! the process that started it: the next start on the same folder takes it up. Dropping the value
//! therefore stops nothing; [`PrivatePostgres::stop`] does. For a cluster that must not outlive its
//! process see [`scratch`]. Linux only: it looks at `/proc` to tell who lives in the folder.

mod binaries;
mod databases;
mod error;
mod folder;
mod identity;
mod processes;
pub mod proxy;
pub mod scratch;
mod startup;

use std::io;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use secrecy::SecretString;

use self::binaries::Binaries;
pub use self::error::StartError;
use self::folder::Folder;
use self::identity::Identity;
use self::processes::Signal;

/// The superuser that the cluster is made with.
const USER: &str = "taquilla";
/// Readiness, crash recovery included.
const START_MAX: Duration = Duration::from_secs(30);
/// A fast shutdown writes a checkpoint first.
const STOP_MAX: Duration = Duration::from_secs(30);
/// Children notice the death of their postmaster by themselves; a busy one may take a while.
const LINGER_MAX: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(10);

/// A running server and the folder that it lives in.
#[derive(Debug)]
pub struct PrivatePostgres {
    folder: Folder,
    binaries: Binaries,
    identity: Identity,
    settings: Vec<(String, String)>,
    password: SecretString,
    port: u16,
    pid: u32,
    /// Ours to reap; `None` for a server that was taken up.
    child: Option<Child>,
}

impl PrivatePostgres {
    /// Starts the cluster in `dir`, making it first if need be, or takes up the one still running
    /// there (then `settings` take effect at its next start). `settings` are server parameters,
    /// which win over the cluster's own files.
    ///
    /// As root the server runs as `postgres`, or `nobody`, whatever the mode of the folders above.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(
        dir: &Path,
        settings: &[(&str, &str)],
    ) -> Result<PrivatePostgres, StartError> {
        let failed = |source| StartError::folder(dir, source);
        let folder = Folder::open(dir).map_err(failed)?;
        let _lock = folder.lock(START_MAX).await.map_err(failed)?;
        let binaries = Binaries::find().ok_or(StartError::NoBinaries)?;
        let identity = Identity::choose(&folder.data()).map_err(failed)?;
        let flush = !settings.contains(&("fsync", "off"));
        folder.initialise(&binaries, identity, flush).await?;
        let password = folder.password().map_err(failed)?;
        let settings =
            settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut server = PrivatePostgres {
            folder,
            binaries,
            identity,
            settings,
            password,
            port: 0,
            pid: 0,
            child: None,
        };
        if !server.take_up().await? {
            server.launch().await?;
        }
        Ok(server)
    }

    /// The folder it was started in; the data are in `postgres` below it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Whether it was running before: then it is somebody else's to stop.
    pub fn is_taken_up(&self) -> bool {
        self.child.is_none()
    }

    /// Whether the postmaster is there.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            // Not whether there is a process of that number: it may be a zombie, or another program.
            None => processes::living_in(&self.folder.data())
                .is_ok_and(|living| living.contains(&self.pid)),
        }
    }

    /// The postmaster's process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Gives a new file in the folder to the user that the server runs as.
    fn own(&self, path: &Path) -> io::Result<()> {
        self.identity.own(path)
    }

    fn password(&self) -> &SecretString {
        &self.password
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Fast shutdown: open transactions are rolled back, a checkpoint is written. What has not
    /// ended after half a minute is killed, which the next start's recovery makes good.
    ///
    /// # Errors
    /// The system's: processes cannot be looked at or signalled, or do not end.
    pub async fn stop(&mut self) -> io::Result<()> {
        self.signal(Signal::Int)?;
        if self.gone_within(STOP_MAX).await? {
            return Ok(());
        }
        self.signal(Signal::Quit)?;
        if self.gone_within(LINGER_MAX).await? { Ok(()) } else { self.kill().await }
    }

    /// SIGKILL to the postmaster, as a crash would. Returns when its children are gone too.
    ///
    /// # Errors
    /// As [`PrivatePostgres::stop`].
    pub async fn kill(&mut self) -> io::Result<()> {
        self.signal(Signal::Kill)?;
        self.bury().await
    }

    /// Stops the server if it runs and starts it again, on the same port if that is still free.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn restart(&mut self) -> Result<(), StartError> {
        let data = self.folder.data();
        let failed = |source| StartError::folder(&data, source);
        let _lock = self.folder.lock(START_MAX).await.map_err(failed)?;
        self.stop().await.map_err(failed)?;
        self.launch().await
    }

    /// Signals the postmaster, unless it is gone: its number may be someone else's by now.
    fn signal(&self, signal: Signal) -> io::Result<()> {
        let mut living = processes::living_in(&self.folder.data())?;
        living.retain(|pid| *pid == self.pid);
        processes::send(signal, &living)
    }

    /// Waits for the processes of a dead postmaster, and kills those that do not leave.
    async fn bury(&mut self) -> io::Result<()> {
        if self.gone_within(LINGER_MAX).await? {
            return Ok(());
        }
        processes::send(Signal::Kill, &processes::living_in(&self.folder.data())?)?;
        if self.gone_within(LINGER_MAX).await? {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "processes of the server do not end"))
    }

    /// Whether every process of the server has ended, and our own child is reaped.
    async fn gone_within(&mut self, limit: Duration) -> io::Result<bool> {
        let deadline = Instant::now() + limit;
        loop {
            let reaped = match &mut self.child {
                Some(child) => child.try_wait()?.is_some(),
                None => true,
            };
            if reaped && processes::living_in(&self.folder.data())?.is_empty() {
                self.child = None;
                self.folder.forget_postmaster()?;
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            tokio::time::sleep(POLL).await;
        }
    }
}
