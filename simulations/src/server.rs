//! The server's process: started, waited for, killed. Knows no configuration.

pub mod binary;
pub mod dev;
mod signal;

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use std::{fs, io};

use tokio::process::{Child, Command};

use crate::{DrillError, patience};

pub(crate) use signal::{Signal, children_of, send};

/// Migrations of an empty database and a crash's recovery included.
const READY_MAX: Duration = Duration::from_secs(60);
/// The system takes it away at once, unless it hangs in a write.
const REAPED_MAX: Duration = Duration::from_secs(20);
/// Of a log, for an error's text.
const TAIL_BYTES: usize = 4_000;

/// A process that serves HTTP and is killed when it is dropped.
#[derive(Debug)]
pub struct Server {
    what: String,
    url: String,
    child: Child,
    log: PathBuf,
    /// From its start to the first 200 of the address that was waited for.
    pub ready_after: Duration,
}

impl Server {
    /// Starts `command` and waits until `probe`, an address of its own, answers 200. What it says
    /// is appended to `log`.
    ///
    /// # Errors
    /// [`DrillError::Ended`], [`DrillError::Late`], [`DrillError::Io`].
    pub async fn start(
        mut command: Command,
        url: &str,
        probe: &str,
        log: &Path,
    ) -> Result<Self, DrillError> {
        let said = File::options().create(true).append(true).open(log)?;
        let started = Instant::now();
        command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said).kill_on_drop(true);
        let mut server = Self {
            what: format!("{:?}", command.as_std()),
            url: url.to_owned(),
            child: command.spawn()?,
            log: log.to_owned(),
            ready_after: Duration::ZERO,
        };
        server.becomes_ready(&format!("{url}{probe}")).await?;
        server.ready_after = started.elapsed();
        Ok(server)
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// SIGKILL; returns when the signal is sent, so that the caller can see what it interrupted.
    ///
    /// # Errors
    /// If there is no such process any more: it ended by itself.
    pub fn send_kill(&mut self) -> io::Result<()> {
        self.child.start_kill()
    }

    /// Waits for the end of a process that was killed.
    ///
    /// # Errors
    /// If it cannot be waited for, or does not end.
    pub async fn reap(mut self) -> Result<(), DrillError> {
        patience::within("the end of a killed process", REAPED_MAX, self.child.wait()).await??;
        Ok(())
    }

    /// SIGKILL, and its end.
    ///
    /// # Errors
    /// As [`Server::send_kill`] and [`Server::reap`].
    pub async fn kill(mut self) -> Result<(), DrillError> {
        self.send_kill()?;
        self.reap().await
    }

    async fn becomes_ready(&mut self, probe: &str) -> Result<(), DrillError> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(1)).build()?;
        let for_what = format!("200 of {probe}");
        patience::until(&for_what, READY_MAX, patience::SOON, async || {
            if let Some(status) = self.child.try_wait()? {
                let (what, log) = (self.what.clone(), self.log.clone());
                return Err(DrillError::Ended { what, status, tail: tail(&log), log });
            }
            let answer = http.get(probe).send().await;
            Ok(answer.is_ok_and(|answer| answer.status() == 200).then_some(()))
        })
        .await
    }
}

/// The end of a log.
pub(crate) fn tail(log: &Path) -> String {
    let said = fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&said[said.len().saturating_sub(TAIL_BYTES)..]).into_owned()
}

/// A port that is free now. Someone else may take it before it is used, which then fails loudly.
///
/// # Errors
/// If the system has none.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
