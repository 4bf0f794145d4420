//! The server on its socket, from start to stop.

use std::fs;
use std::path::Path;

use serde_json::Value;
use taquilla_api::simulated_provider::{Settings, run};
use tempfile::tempdir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::open_books;

/// A running server, and the URL that it announces.
pub(crate) struct Server {
    pub(crate) url: String,
    shutdown: CancellationToken,
    running: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(dir: &Path) -> Self {
        Self::start_with(dir, |_| {}).await
    }

    pub(crate) async fn start_with(dir: &Path, set: impl FnOnce(&mut Settings)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let mut settings = Settings::new(url.clone());
        set(&mut settings);
        let books = open_books(dir, &settings).expect("the books open");
        let shutdown = CancellationToken::new();
        let told = shutdown.clone();
        let running =
            tokio::spawn(async move { run(listener, books, told).await.expect("an orderly stop") });
        Self { url, shutdown, running }
    }

    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.running.await.expect("no panic");
    }

    async fn health(&self) -> Value {
        let answer = reqwest::get(format!("{}/healthz", self.url)).await.expect("an answer");
        answer.json().await.expect("a JSON body")
    }
}

#[tokio::test]
async fn a_running_server_announces_itself_and_is_recognised_after_a_restart() {
    let dir = tempdir().expect("a directory");
    let announcement = dir.path().join("provider.json");

    let server = Server::start(dir.path()).await;
    let health = server.health().await;
    let announced = fs::read(&announcement).expect("an announcement");
    let announced: Value = serde_json::from_slice(&announced).expect("a JSON file");
    assert_eq!(announced["url"], server.url);
    assert_eq!((&announced["pid"], &announced["instance"]), (&health["pid"], &health["instance"]));
    assert_eq!(health["pid"], std::process::id());
    server.stop().await;
    assert!(!announcement.exists(), "a stopped server takes its announcement away");

    let again = Server::start(dir.path()).await;
    assert_eq!(again.health().await["instance"], health["instance"]);
    again.stop().await;
}
