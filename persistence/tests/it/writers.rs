use std::sync::Arc;
use std::time::{Duration, Instant};

use taquilla_persistence::ConnectError;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch::{self, ScratchCluster};
use taquilla_persistence::session::Session;
use taquilla_persistence::settings::{DatabaseSettings, SynchronousCommit};
use taquilla_persistence::writer::{
    BorrowError, NamedStatement, UnknownCause, WriteError, WriterPool,
};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::plain::{self, in_time};

pub(crate) const STATEMENTS: &[NamedStatement] = &[
    NamedStatement { name: "add_note", sql: "/* add_note */ INSERT INTO notes VALUES ($1)" },
    NamedStatement { name: "slow_note", sql: "/* slow_note */ SELECT pg_sleep(60)" },
];

pub(crate) fn pool(settings: &DatabaseSettings) -> WriterPool {
    let session = Session::writer(settings, SynchronousCommit::On);
    WriterPool::new(settings.clone(), session, STATEMENTS)
}

#[tokio::test]
async fn a_refusal_is_a_definite_no_and_the_connection_goes_on() {
    let settings = scratch::shared().await.database("refusal").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let writers = pool(&settings);
    let mut writer = writers.borrow().await.expect("a writer");
    assert_eq!(writer.execute("add_note", &[&1]).await.expect("a new note"), 1);

    let refused = writer.execute("add_note", &[&1]).await.expect_err("twice the same");
    assert_eq!(refused.code(), Some(&SqlState::UNIQUE_VIOLATION));
    assert_eq!(refused.constraint(), Some("notes_pkey"));
    assert_eq!(writer.execute("add_note", &[&2]).await.expect("a new note"), 1);
    assert_eq!(plain::count_notes(&client).await, 2);
}

/// In autocommit the commit comes after the statement's own success has been sent.
#[tokio::test]
async fn a_refusal_at_the_commit_itself_is_no_success() {
    let settings = scratch::shared().await.database("deferred").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    client
        .batch_execute(
            "ALTER TABLE notes DROP CONSTRAINT notes_pkey;
             ALTER TABLE notes ADD CONSTRAINT notes_once UNIQUE (note) DEFERRABLE INITIALLY DEFERRED",
        )
        .await
        .expect("a table of ours");
    let mut writer = pool(&settings).borrow().await.expect("a writer");
    writer.execute("add_note", &[&1]).await.expect("a new note");

    let refused = writer.execute("add_note", &[&1]).await.expect_err("twice the same");
    assert_eq!(refused.constraint(), Some("notes_once"));
    assert!(writer.is_usable());
    assert_eq!(plain::count_notes(&client).await, 1);
}

#[tokio::test]
async fn a_snapshot_on_a_writer_sees_one_moment_and_a_failed_one_ends_it() {
    let settings = scratch::shared().await.database("snapshot").await.expect("a database");
    let client = Arc::new(plain::with_notes(&settings).await);
    let writers = pool(&settings);
    let mut writer = writers.borrow().await.expect("a writer");
    let other = Arc::clone(&client);
    let (before, after) = writer
        .read_snapshot(plain::DEADLINE, |snapshot| async move {
            let before = plain::count_notes(&snapshot).await;
            other.batch_execute("INSERT INTO notes VALUES (1)").await?;
            Ok((before, plain::count_notes(&snapshot).await))
        })
        .await
        .expect("two reads");
    assert_eq!((before, after), (0, 0));
    writer.execute("add_note", &[&2]).await.expect("writing goes on afterwards");

    let swallow = |snapshot: Arc<Client>| async move {
        drop(snapshot.batch_execute("INSERT INTO notes VALUES (3)").await);
        Ok(())
    };
    let mut other = writers.borrow().await.expect("a second writer");
    let refused = other.read_snapshot(plain::DEADLINE, swallow).await.expect_err("it failed");
    assert_eq!(refused.code(), Some(&SqlState::IN_FAILED_SQL_TRANSACTION));

    let write = |snapshot: Arc<Client>| async move {
        snapshot.batch_execute("INSERT INTO notes VALUES (3)").await
    };
    let refused = writer.read_snapshot(plain::DEADLINE, write).await.expect_err("read only");
    assert_eq!(refused.code(), Some(&SqlState::READ_ONLY_SQL_TRANSACTION));
    assert!(!writer.is_usable());
}

#[tokio::test]
async fn a_writer_whose_caller_left_is_not_lent_again() {
    let settings = scratch::shared().await.database("caller_left").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let writers = pool(&DatabaseSettings { writers_max: 1, ..settings });
    let mut writer = writers.borrow().await.expect("a writer");
    let first = writer.backend_pid();
    tokio::select! {
        _ = writer.execute("slow_note", &[]) => panic!("it sleeps for a minute"),
        () = plain::until(&client, "SELECT EXISTS (SELECT FROM pg_stat_activity \
            WHERE datname = current_database() AND query LIKE '/* slow_note */%')") => {}
    }
    assert!(!writer.is_usable());
    assert!(matches!(writer.execute("add_note", &[&1]).await, Err(WriteError::NotSent)));
    drop(writer);
    assert_ne!(writers.borrow().await.expect("a writer").backend_pid(), first);
}

#[tokio::test]
async fn a_writer_whose_server_went_away_is_not_lent_again() {
    let settings = scratch::shared().await.database("went_away").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let writers = pool(&settings);
    let mut writer = writers.borrow().await.expect("a writer");
    let first = writer.backend_pid();
    client.query("SELECT pg_terminate_backend($1)", &[&first]).await.expect("a superuser");
    plain::until(
        &client,
        "SELECT NOT EXISTS (SELECT FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = 'taquilla writer')",
    )
    .await;

    // Depending on who is first: already seen to be closed, or seen when it is used.
    match writer.execute("add_note", &[&1]).await {
        Err(WriteError::NotSent | WriteError::Unknown(UnknownCause::Lost(_))) => {}
        other => panic!("the server was gone: {other:?}"),
    }
    drop(writer);
    let mut writer = writers.borrow().await.expect("a writer");
    assert_ne!(writer.backend_pid(), first);
    writer.execute("add_note", &[&1]).await.expect("a new note");
}

#[tokio::test]
async fn when_all_writers_are_lent_the_wait_is_bounded() {
    let settings = scratch::shared().await.database("all_lent").await.expect("a database");
    plain::with_notes(&settings).await;
    let writers = pool(&DatabaseSettings {
        writers_max: 1,
        pool_wait_timeout: Duration::from_millis(50),
        ..settings
    });
    let writer = writers.borrow().await.expect("a writer");
    let busy = writers.borrow().await.expect_err("the only one is lent");
    assert!(matches!(busy, BorrowError::Busy(_)), "{busy:?}");
    drop(writer);
    writers.borrow().await.expect("it came back");
}

#[tokio::test]
async fn a_writer_that_cannot_be_opened_leaves_its_place_to_the_next() {
    let settings = scratch::shared().await.database("no_notes").await.expect("a database");
    let writers = pool(&DatabaseSettings { writers_max: 1, ..settings.clone() });
    let error = writers.borrow().await.expect_err("there is no table to prepare against");
    assert!(matches!(error, BorrowError::Connect(ConnectError::Driver(_))), "{error:?}");
    plain::with_notes(&settings).await;
    writers.borrow().await.expect("now there is");
}

#[tokio::test]
async fn a_stopped_or_silent_server_is_an_error_within_the_deadline() {
    let mut cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let settings = cluster.database("stopped").await.expect("a database");
    plain::with_notes(&settings).await;
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    proxy.hold_answers();
    let started = Instant::now();
    let impatient =
        DatabaseSettings { connect_timeout: Duration::from_millis(50), ..proxy.before(&settings) };
    let silent = pool(&impatient).borrow().await.expect_err("no answer");
    assert!(matches!(silent, BorrowError::Connect(ConnectError::TimedOut(_))), "{silent:?}");
    assert!(started.elapsed() < plain::DEADLINE);

    cluster.postgres.stop().await.expect("stopped");
    let stopped = in_time(pool(&settings).borrow()).await.expect_err("nobody listens");
    assert!(matches!(stopped, BorrowError::Connect(ConnectError::Driver(_))), "{stopped:?}");
}
