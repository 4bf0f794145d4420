//! The simulated provider of a dev instance: a process of its own, which outlives a killed server
//! and is taken up by the next.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// How long it may take to come up; its books are read line by line.
const START_MAX: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// What the provider says of itself in its folder.
#[derive(Deserialize)]
struct ProviderFile {
    url: String,
    instance: Uuid,
}

#[derive(Deserialize)]
struct Health {
    instance: Uuid,
    pid: u32,
}

/// A running provider.
#[derive(Debug)]
pub struct ProviderProcess {
    folder: PathBuf,
    url: Url,
    pid: u32,
    /// Ours to reap; `None` if it was taken up.
    child: Option<Child>,
}

impl ProviderProcess {
    /// Takes up the provider that runs in the folder, or starts one.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer in time.
    pub async fn start(folder: &Path) -> io::Result<Self> {
        match running_in(folder).await {
            Some((url, pid)) => Ok(Self { folder: folder.into(), url, pid, child: None }),
            None => Self::launch(folder, 0).await,
        }
    }

    /// Starts it again where it was, after it has died.
    ///
    /// # Errors
    /// As [`ProviderProcess::start`].
    pub async fn restart(&mut self) -> io::Result<()> {
        let port = self.url.port().unwrap_or_default();
        *self = Self::launch(&self.folder, port).await?;
        Ok(())
    }

    /// Whether the process is there.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => Path::new("/proc").join(self.pid.to_string()).exists(),
        }
    }

    async fn launch(folder: &Path, port: u16) -> io::Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(folder.join("provider.log"))?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["simulated-provider", "--port", &port.to_string(), "--data-dir"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            // Ctrl-C is for the server, which then stops the provider after its last question.
            .process_group(0)
            .spawn()?;
        let deadline = Instant::now() + START_MAX;
        loop {
            if let Some(status) = child.try_wait()? {
                let log = folder.join("provider.log");
                return Err(io::Error::other(format!(
                    "the simulated provider ended with {status}; see {} (another one that does not \
                     answer may still live in the folder)",
                    log.display()
                )));
            }
            if let Some((url, pid)) = running_in(folder).await.filter(|(_, pid)| *pid == child.id())
            {
                return Ok(Self { folder: folder.into(), url, pid, child: Some(child) });
            }
            if Instant::now() > deadline {
                child.kill()?;
                return Err(io::Error::other("the simulated provider did not come up in time"));
            }
            sleep(POLL).await;
        }
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Asks it to stop, and waits until it has.
    ///
    /// # Errors
    /// If it cannot be signalled.
    pub async fn stop(mut self) -> io::Result<()> {
        let pid = self.pid.to_string();
        // The shell's own `kill`: std signals only children, and only with KILL.
        Command::new("/bin/sh").args(["-c", r#"kill -s TERM "$0" 2>/dev/null"#, &pid]).status()?;
        let deadline = Instant::now() + START_MAX;
        while Instant::now() < deadline {
            let ended = match &mut self.child {
                Some(child) => child.try_wait()?.is_some(),
                None => !Path::new("/proc").join(&pid).exists(),
            };
            if ended {
                return Ok(());
            }
            sleep(POLL).await;
        }
        Err(io::Error::other("the simulated provider did not stop in time"))
    }
}

/// The provider of this folder, if one answers: a port may have gone to somebody else.
async fn running_in(folder: &Path) -> Option<(Url, u32)> {
    let text = std::fs::read(folder.join("provider.json")).ok()?;
    let file: ProviderFile = serde_json::from_slice(&text).ok()?;
    let http =
        reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(2)).build().ok()?;
    let url = Url::parse(&file.url).ok()?;
    let health: Health =
        http.get(url.join("healthz").ok()?).send().await.ok()?.json().await.ok()?;
    (health.instance == file.instance).then_some((url, health.pid))
}
