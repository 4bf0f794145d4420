use std::time::Duration;

use taquilla_persistence::migrations::{MigrationError, migrate, schema_is_current};
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::error::SqlState;

use crate::plain;

#[tokio::test]
async fn two_migrations_at_once_apply_each_step_once() {
    let settings = scratch::shared().await.database("migrate").await.expect("a database");
    let before = schema_is_current(&settings).await.expect_err("nothing is applied");
    assert!(matches!(before, MigrationError::NotCurrent { ref applied, .. } if applied.is_empty()));

    let (one, two) = tokio::join!(migrate(&settings), migrate(&settings));
    let mut counts = [one.expect("migrated").len(), two.expect("migrated").len()];
    counts.sort_unstable();
    assert_eq!(counts[0], 0);
    assert!(counts[1] > 0);
    schema_is_current(&settings).await.expect("current");
    assert!(migrate(&settings).await.expect("nothing to do").is_empty());
}

#[tokio::test]
async fn a_schema_that_is_not_this_programs_is_refused() {
    let settings = scratch::shared().await.migrated_database("foreign").await.expect("migrated");
    schema_is_current(&settings).await.expect("a copy is current too");
    let client = plain::client(&settings).await;
    client
        .batch_execute("UPDATE refinery_schema_history SET checksum = '1' WHERE version = 1")
        .await
        .expect("a row");
    let error = schema_is_current(&settings).await.expect_err("another first step");
    assert!(matches!(error, MigrationError::NotCurrent { .. }), "{error:?}");
    migrate(&settings).await.expect_err("never over a foreign step");
}

#[tokio::test]
async fn a_migration_waits_for_another_only_so_long() {
    let settings = scratch::shared().await.database("locked").await.expect("a database");
    let client = plain::client(&settings).await;
    client.batch_execute("SELECT pg_advisory_lock(8386108730234399841)").await.expect("a lock");
    let settings =
        DatabaseSettings { migration_lock_timeout: Duration::from_millis(50), ..settings };
    match migrate(&settings).await {
        Err(MigrationError::Driver(error)) => {
            assert_eq!(error.code(), Some(&SqlState::LOCK_NOT_AVAILABLE));
        }
        other => panic!("the lock was held: {other:?}"),
    }
}
