//! A look at the rows behind an edge, and a hand on them.

use std::time::Duration;

use secrecy::ExposeSecret;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::types::FromSqlOwned;
use tokio_postgres::{Client, NoTls};

/// How long a test waits for what must come.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

pub(crate) struct Rows(Client);

impl Rows {
    pub(crate) async fn of(settings: &DatabaseSettings) -> Self {
        let url = settings.url.expose_secret();
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        Self(client)
    }

    /// Past our own code, as an operator with a SQL prompt.
    pub(crate) async fn change(&self, sql: &str) {
        self.0.batch_execute(sql).await.expect(sql);
    }

    /// The one value that a query gives.
    pub(crate) async fn one<T: FromSqlOwned>(&self, sql: &str) -> T {
        self.0.query_one(sql, &[]).await.expect(sql).get(0)
    }

    /// Asks again until the query's one boolean is true.
    pub(crate) async fn until(&self, sql: &str) {
        let mut looks = tokio::time::interval(Duration::from_millis(5));
        let seen = async {
            while self.one::<Option<bool>>(sql).await != Some(true) {
                looks.tick().await;
            }
        };
        tokio::time::timeout(DEADLINE, seen).await.unwrap_or_else(|_| panic!("never so: {sql}"));
    }
}
