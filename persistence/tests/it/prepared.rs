use std::time::Duration;

use taquilla_persistence::pool::{Pool, PooledClient, ReadError};
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use crate::plain;

const NOTES: &str = "/* notes_above */ SELECT note FROM notes WHERE note > $1";
const PREPARED: &str = "/* prepared */ SELECT name, generic_plans + custom_plans AS runs \
    FROM pg_prepared_statements WHERE statement LIKE '/* notes_above */%'";

async fn notes(client: &PooledClient) -> Result<Vec<Row>, Error> {
    client.query_typed(NOTES, &[(&0_i32, Type::INT4)]).await
}

/// A pool of one connection, whose table a plain client may change.
async fn pool(database: &str) -> (Pool, tokio_postgres::Client) {
    let settings = scratch::shared().await.database(database).await.expect("a database");
    let client = plain::with_notes(&settings).await;
    client.batch_execute("INSERT INTO notes VALUES (1), (2)").await.expect("new notes");
    let pool = Pool::new(&DatabaseSettings { pool_max: 1, ..settings }).expect("a good URL");
    (pool, client)
}

#[tokio::test]
async fn a_statement_is_prepared_once_a_connection() {
    let (pool, _client) = pool("prepared_once").await;
    for _ in 0..3 {
        let read = pool.read(|client| async move { notes(&client).await }).await;
        assert_eq!(read.expect("a read").len(), 2);
    }
    let prepared = pool.read(async |client| client.query(PREPARED, &[]).await).await;
    let prepared = prepared.expect("a read");
    let runs: Vec<i64> = prepared.iter().map(|row| row.get("runs")).collect();
    assert_eq!(runs, [3]);
}

#[tokio::test]
async fn what_is_planned_with_its_parameters_is_not_kept() {
    let (pool, _client) = pool("planned").await;
    let planned = async |client: PooledClient| {
        client.query_planned(NOTES, &[(&1_i32, Type::INT4)]).await?;
        client.query(PREPARED, &[]).await
    };
    assert!(pool.read(planned).await.expect("a read").is_empty());
}

#[tokio::test]
async fn a_transaction_whose_table_has_changed_is_run_again_on_another_connection() {
    let (pool, client) = pool("changed").await;
    let read = async || pool.run_tx("notes_above", async |it| notes(&it).await).await;
    assert_eq!(read().await.expect("prepared").len(), 2);
    let change = "ALTER TABLE notes ALTER COLUMN note TYPE bigint";
    client.batch_execute(change).await.expect("changed");

    let rows = read().await.expect("run again");
    assert_eq!(rows.iter().map(|row| row.get("note")).collect::<Vec<i64>>(), [1, 2]);
}

#[tokio::test]
async fn a_connection_whose_statements_are_gone_is_not_lent_again() {
    let (pool, _client) = pool("gone").await;
    let lost = pool.read(|client| async move {
        notes(&client).await?;
        client.batch_execute("DISCARD ALL").await?;
        notes(&client).await
    });
    let lost = tokio::time::timeout(Duration::from_secs(5), lost).await.expect("in time");
    assert!(matches!(lost, Err(ReadError::Driver(_))), "{lost:?}");
    let read = pool.read(|client| async move { notes(&client).await }).await;
    assert_eq!(read.expect("on a new connection").len(), 2);
}
