//! The simulated provider of a dev instance: a process of its own, which outlives a killed server
//! and is taken up by the next.

mod port;

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
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
    /// Takes up the provider that runs in the folder, or starts one: where the last one was, if that can
    /// be had.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer in time.
    pub async fn start(folder: &Path) -> io::Result<Self> {
        let provider = match running_in(folder).await {
            Some((url, pid)) => Self { folder: folder.into(), url, pid, child: None },
            None => Self::launch(folder, port::kept(folder)).await?,
        };
        port::keep(folder, provider.port())?;
        Ok(provider)
    }

    fn port(&self) -> u16 {
        self.url.port().unwrap_or_default()
    }

    /// Starts it again where it was, after it has died.
    ///
    /// # Errors
    /// As [`ProviderProcess::start`].
    pub async fn restart(&mut self) -> io::Result<()> {
        *self = Self::launch(&self.folder, self.port()).await?;
        Ok(())
    }

    /// Whether the process is there.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => lives_in(&self.folder, self.pid),
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

    /// Whether it ran already.
    #[must_use]
    pub fn is_taken_up(&self) -> bool {
        self.child.is_none()
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
        // The number of a process that has ended may be another's by now.
        if !self.is_alive() {
            return Ok(());
        }
        let pid = self.pid.to_string();
        // The shell's own `kill`: std signals only children, and only with KILL.
        Command::new("/bin/sh").args(["-c", r#"kill -s TERM "$0" 2>/dev/null"#, &pid]).status()?;
        let deadline = Instant::now() + START_MAX;
        while Instant::now() < deadline {
            if !self.is_alive() {
                return Ok(());
            }
            sleep(POLL).await;
        }
        Err(io::Error::other("the simulated provider did not stop in time"))
    }
}

/// Whether the process of this number is a provider that keeps its books in the folder: it was started so,
/// and what the number belongs to now says so itself. A zombie says nothing.
fn lives_in(folder: &Path, pid: u32) -> bool {
    let Ok(folder) = std::fs::metadata(folder) else { return false };
    let said = std::fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline"));
    let said = said.unwrap_or_default();
    let mut arguments = said.split(|byte| *byte == 0).map(OsStr::from_bytes);
    let is_provider = arguments.by_ref().any(|argument| argument == "simulated-provider");
    let data_dir = arguments.skip_while(|argument| *argument != "--data-dir").nth(1);
    let same = |data_dir: &OsStr| {
        std::fs::metadata(data_dir)
            .is_ok_and(|it| (it.dev(), it.ino()) == (folder.dev(), folder.ino()))
    };
    is_provider && data_dir.is_some_and(same)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_provider_of_this_folder_is_taken_for_one_and_signalled() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = tempfile::tempdir().expect("a folder");
        // It reads from a pipe that says nothing, and has the words of a provider behind it.
        let arguments =
            ["-c", "read -r nothing", "sh", "simulated-provider", "--port", "0", "--data-dir"];
        let mut child = Command::new("/bin/sh");
        let child = child.args(arguments).arg(folder.path());
        let mut child = child.stdin(Stdio::piped()).spawn().expect("a shell");
        let pid = child.id();
        // Its words are there once it has replaced the copy of this process.
        while !lives_in(folder.path(), pid) {
            assert!(matches!(child.try_wait(), Ok(None)), "it never says what it is");
            tokio::task::yield_now().await;
        }
        assert!(!lives_in(other.path(), pid), "of another folder");
        assert!(!lives_in(folder.path(), std::process::id()), "another program");
        let url = Url::parse("http://127.0.0.1:1").expect("a URL");
        let folder = other.path().to_owned();
        let stranger = ProviderProcess { folder, url, pid, child: None };
        stranger.stop().await.expect("nothing to stop");
        assert!(matches!(child.try_wait(), Ok(None)), "a stranger was signalled");
        child.kill().and_then(|()| child.wait()).expect("it ends");
    }
}
