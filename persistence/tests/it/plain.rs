//! A connection as the driver gives it, for looking at the database past our own code.

use std::process::Command;
use std::time::Duration;

use secrecy::ExposeSecret;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio::time::Instant;
use tokio_postgres::{Client, NoTls};

/// Longer than anything here takes on a busy machine; a test that waits so long has failed.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// Whether a commit waits for a standby.
pub(crate) const STUCK: &str =
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')";

/// The deadline of something that comes.
pub(crate) fn soon() -> Instant {
    Instant::now() + DEADLINE
}

/// A database of the shared cluster, reached through a proxy.
pub(crate) async fn behind_a_proxy(settings: &DatabaseSettings) -> (Proxy, DatabaseSettings) {
    let port = scratch::shared().await.postgres.port();
    let proxy = Proxy::start(port).await.expect("a proxy");
    let through = proxy.before(settings);
    (proxy, through)
}

pub(crate) async fn client(settings: &DatabaseSettings) -> Client {
    let (client, connection) = tokio_postgres::connect(settings.url.expose_secret(), NoTls)
        .await
        .expect("the scratch cluster is up");
    tokio::spawn(connection);
    client
}

/// A client, and a table `notes (note int primary key)` made with it.
pub(crate) async fn with_notes(settings: &DatabaseSettings) -> Client {
    let client = client(settings).await;
    client
        .batch_execute("CREATE TABLE notes (note int PRIMARY KEY)")
        .await
        .expect("fresh database");
    client
}

pub(crate) async fn count_notes(client: &Client) -> i64 {
    client.query_one("SELECT count(*) FROM notes", &[]).await.expect("notes exist").get(0)
}

/// Asks again until the statement's single boolean is true. Not inside a transaction, which sees
/// `pg_stat_activity` as it was at its first look.
pub(crate) async fn until(client: &Client, sql: &str) {
    eventually(sql, async || {
        client.query_one(sql, &[]).await.expect("a boolean query").get::<_, bool>(0).then_some(())
    })
    .await;
}

/// Looks again until there is something to see, or the test has failed.
pub(crate) async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    let seen = async {
        loop {
            looks.tick().await;
            if let Some(seen) = look().await {
                return seen;
            }
        }
    };
    tokio::time::timeout(DEADLINE, seen).await.unwrap_or_else(|_| panic!("never seen: {what}"))
}

/// Sends a signal, by its name without `SIG`, to a process of a scratch cluster.
pub(crate) fn signal(name: &str, pid: i32) {
    let kill = format!("kill -s {name} {pid}");
    let sent = Command::new("/bin/sh").args(["-c", &kill]).status().expect("a shell");
    assert!(sent.success(), "{kill}");
}

/// The future's result, or a failed test.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.expect("an answer in time")
}
