//! A connection as the driver gives it, for looking at the database past our own code.

use std::time::Duration;

use secrecy::ExposeSecret;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::{Client, NoTls};

/// Longer than anything here takes on a busy machine; a test that waits so long has failed.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

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

/// The future's result, or a failed test.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.expect("an answer in time")
}
