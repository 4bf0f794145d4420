//! `provider.json`: where a running provider listens, for a server that starts beside it.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process;

use serde::Serialize;
use tokio::fs::{self, File};
use tokio::io::AsyncWriteExt;
use uuid::Uuid;

const FILE_NAME: &str = "provider.json";

#[derive(Serialize)]
struct Content {
    url: String,
    pid: u32,
    instance: Uuid,
}

/// The file of a provider that listens now.
///
/// A kill leaves it behind, so a reader asks `url`/healthz and compares `instance` and `pid`.
pub(super) struct ProviderFile {
    path: PathBuf,
}

impl ProviderFile {
    /// Replaces the file in `dir` as a whole: a reader sees the old content or the new.
    pub(super) async fn write(dir: &Path, address: SocketAddr, instance: Uuid) -> io::Result<Self> {
        let content = Content { url: format!("http://{address}"), pid: process::id(), instance };
        let path = dir.join(FILE_NAME);
        let next = dir.join("provider.json.next");
        let mut file = File::create(&next).await?;
        file.write_all(&serde_json::to_vec(&content)?).await?;
        file.sync_all().await?;
        fs::rename(&next, &path).await?;
        Ok(Self { path })
    }

    /// Takes the file away, at an orderly stop.
    pub(super) async fn remove(self) -> io::Result<()> {
        fs::remove_file(self.path).await
    }
}
