//! The server on its socket, from start to stop.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use taquilla_api::simulated_provider::{Settings, run};
use tempfile::tempdir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::open_books;

/// More than any of these takes.
const PATIENCE: Duration = Duration::from_secs(20);

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

    async fn connect(&self) -> TcpStream {
        let address = self.url.strip_prefix("http://").expect("a URL of ours");
        TcpStream::connect(address).await.expect("a connection")
    }

    async fn health(&self) -> Value {
        let answer = reqwest::get(format!("{}/healthz", self.url)).await.expect("an answer");
        answer.json().await.expect("a JSON body")
    }
}

/// What comes until the connection closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("in time").expect("read");
    String::from_utf8(bytes).expect("text")
}

#[tokio::test]
async fn connections_are_bounded_and_half_a_head_is_not_waited_for() {
    let dir = tempdir().expect("a directory");
    let server = Server::start_with(dir.path(), |settings| {
        settings.bounds.open_max = 1;
        settings.bounds.head_patience = Duration::from_millis(500);
    })
    .await;
    let mut half = server.connect().await;
    half.write_all(b"GET /healthz HTTP/1.1\r\n").await.expect("sent");
    // A connection is taken after those before it.
    let answer = rest(&mut server.connect().await).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("retry-after: "), "{answer}");
    assert_eq!(rest(&mut half).await, "", "closed without an answer");
    let ask = b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let answered = async {
        loop {
            let mut next = server.connect().await;
            next.write_all(ask).await.expect("sent");
            if rest(&mut next).await.starts_with("HTTP/1.1 200 ") {
                return;
            }
        }
    };
    timeout(PATIENCE, answered).await.expect("its place is free again");
    server.stop().await;
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
