//! A real nginx with the shipped configuration, on ports of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};

use crate::server::{binary, free_port};
use crate::{DrillError, patience};

/// As it is shipped.
const SHIPPED: &str = include_str!("../../../../config/nginx/taquilla.conf");

/// What the shipped file stands in elsewhere. The log says of each answer where it came from.
const AROUND: &str = "\
daemon off;
user root;
worker_processes 2;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 8192; }
http {
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    log_format drill '$upstream_cache_status $status';
    access_log answers.log drill;
    include taquilla.conf;
}
";

const READY_MAX: Duration = Duration::from_secs(10);
const STOPPED_MAX: Duration = Duration::from_secs(10);

/// How many answers there were.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    pub(super) all: u64,
    pub(super) at_origin: u64,
}

/// A running one.
pub(super) struct Nginx {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Nginx {
    /// Before this server, with its files in a folder of its own in this one.
    pub(super) async fn start(folder: &Path, origin: &str) -> Result<Self, DrillError> {
        let folder = folder.join("nginx");
        fs::create_dir_all(&folder)?;
        let port = free_port()?;
        let origin = origin.trim_start_matches("http://");
        let configuration = replaced(SHIPPED, "127.0.0.1:8080", origin)?;
        let configuration =
            replaced(&configuration, "127.0.0.1:8088", &format!("127.0.0.1:{port}"))?;
        let configuration = replaced(&configuration, "/var/cache/nginx/taquilla", "cache")?;
        fs::write(folder.join("taquilla.conf"), configuration)?;
        fs::write(folder.join("nginx.conf"), AROUND)?;
        let log = fs::File::create(folder.join("error.log"))?;
        let child = Command::new(binary::of_system("nginx")?)
            .args(["-p", &folder.display().to_string(), "-c", "nginx.conf", "-e", "stderr"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        let nginx = Self { child, folder, url: format!("http://127.0.0.1:{port}") };
        let health = format!("{}/healthz", nginx.url);
        patience::until("nginx answers", READY_MAX, patience::SOON, async || {
            Ok(reqwest::get(&health).await.ok().filter(|answer| answer.status().is_success()))
        })
        .await?;
        Ok(nginx)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Until now, of what may be cached.
    pub(super) fn answers(&self) -> Result<Answers, DrillError> {
        let log = fs::read_to_string(self.folder.join("answers.log"))?;
        let cachable = log.lines().filter(|line| !line.starts_with('-'));
        let by_cache =
            |line: &&str| ["HIT", "STALE", "UPDATING"].iter().any(|it| line.starts_with(it));
        let (cached, asked): (Vec<_>, Vec<_>) = cachable.partition(by_cache);
        let at_origin = asked.len() as u64;
        Ok(Answers { all: cached.len() as u64 + at_origin, at_origin })
    }

    /// Ends it.
    pub(super) async fn stop(mut self) -> Result<(), DrillError> {
        // Its workers go with it on SIGTERM, which `kill` is not.
        let process = self.child.id().map(|id| id.to_string()).unwrap_or_default();
        Command::new("kill").args(["-TERM", &process]).status().await?;
        patience::within("nginx's end", STOPPED_MAX, self.child.wait()).await??;
        Ok(())
    }
}

/// The shipped file with another address or folder; it must be there to be replaced.
fn replaced(text: &str, shipped: &str, ours: &str) -> Result<String, DrillError> {
    if text.contains(shipped) {
        return Ok(text.replace(shipped, ours));
    }
    Err(DrillError::Broken(format!("config/nginx/taquilla.conf has no {shipped}")))
}
