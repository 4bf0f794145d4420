use taquilla_persistence::ConnectError;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch::{self, ScratchCluster};
use taquilla_persistence::session::{Session, SessionError};
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::writer::{NamedStatement, WriterConnection};

use crate::plain;

const SHOW: &[NamedStatement] = &[NamedStatement {
    name: "show",
    sql: "/* show */ SELECT current_setting('synchronous_commit'), current_setting('TimeZone'), \
          current_setting('statement_timeout'), current_setting('application_name')",
}];

async fn writer(settings: &DatabaseSettings) -> Result<WriterConnection, ConnectError> {
    WriterConnection::connect(settings, &Session::writer(settings), SHOW).await
}

async fn refused_setting(settings: &DatabaseSettings) -> (&'static str, String, String) {
    match writer(settings).await {
        Err(ConnectError::Session(SessionError::Unexpected { setting, expected, found })) => {
            (setting, expected, found)
        }
        other => panic!("not refused by name: {other:?}"),
    }
}

#[tokio::test]
async fn what_the_database_sets_for_its_sessions_is_overruled() {
    let settings = scratch::shared().await.database("overruled").await.expect("a database");
    plain::client(&settings)
        .await
        .batch_execute(
            "DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
                EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database());
                EXECUTE format('ALTER DATABASE %I SET statement_timeout = 0', current_database());
            END $$",
        )
        .await
        .expect("a superuser");

    let mut writer = writer(&settings).await.expect("the session is set up");
    let rows = writer.query("show", &[], plain::soon()).await.expect("a read");
    let shown: [String; 4] = std::array::from_fn(|column| rows[0].get(column));
    assert_eq!(shown, ["on", "UTC", "4s", "taquilla writer"]);
}

#[tokio::test]
async fn a_read_only_database_is_refused_by_name() {
    let settings = scratch::shared().await.database("read_only").await.expect("a database");
    plain::client(&settings)
        .await
        .batch_execute(
            "DO $$ BEGIN EXECUTE format(
                'ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
            END $$",
        )
        .await
        .expect("a superuser");

    let (setting, expected, found) = refused_setting(&settings).await;
    assert_eq!((setting, &*expected, &*found), ("default_transaction_read_only", "off", "on"));

    let pool = Pool::new(&settings).expect("a good URL");
    let error = pool.connection().await.expect_err("refused");
    let reason = std::error::Error::source(&error).expect("a source").to_string();
    assert!(reason.contains("default_transaction_read_only"), "{reason}");
}

#[tokio::test]
async fn a_server_that_does_not_flush_is_refused_by_name() {
    let settings = scratch::shared().await.database("unsafe_storage").await.expect("a database");
    let settings = DatabaseSettings { crash_safe_storage_required: true, ..settings };
    let (setting, expected, found) = refused_setting(&settings).await;
    assert_eq!((setting, &*expected, &*found), ("fsync", "on", "off"));
}

#[tokio::test]
async fn a_server_in_recovery_is_refused_by_name() {
    let mut cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    cluster.postgres.stop().await.expect("stopped");
    let data = cluster.postgres.folder().join("postgres");
    std::fs::write(data.join("standby.signal"), "").expect("our own folder");
    cluster.postgres.restart().await.expect("a standby without a primary");

    let (setting, expected, found) = refused_setting(&cluster.settings("postgres")).await;
    assert_eq!((setting, &*expected, &*found), ("pg_is_in_recovery()", "false", "true"));
}
