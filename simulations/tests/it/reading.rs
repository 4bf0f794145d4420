//! The auditor's SQL against the product's schema.

use secrecy::ExposeSecret;
use taquilla_auditor::{Evidence, audit, read_rows};
use taquilla_persistence::private_postgres::scratch;

#[tokio::test(flavor = "multi_thread")]
async fn the_auditor_reads_the_schema() {
    let cluster = scratch::shared().await;
    let database = cluster.migrated_database("audited").await.expect("a migrated database");
    let rows = read_rows(database.url.expose_secret()).await.expect("every column is there");
    assert!(rows.seats.is_empty());
    let report = audit(&Evidence { rows, ..Evidence::default() });
    assert!(report.is_ok(), "{report}");
}
