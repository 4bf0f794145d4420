use std::time::Duration;

use taquilla_persistence::ConnectError;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch::{self, ScratchCluster};
use taquilla_persistence::session::Session;
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::writer::{
    BorrowError, BorrowedWriter, NamedStatement, UnknownCause, WriteError, WriterConnection,
    WriterPool,
};
use tokio::time::Instant;
use tokio_postgres::error::SqlState;

use crate::plain::{self, in_time};

pub(crate) const STATEMENTS: &[NamedStatement] = &[
    NamedStatement {
        name: "add_note",
        sql: "/* add_note */ INSERT INTO notes VALUES ($1) RETURNING note",
    },
    NamedStatement { name: "slow_note", sql: "/* slow_note */ SELECT pg_sleep(60)" },
    NamedStatement { name: "backend", sql: "/* backend */ SELECT pg_backend_pid()" },
];

pub(crate) fn pool(settings: &DatabaseSettings) -> WriterPool {
    WriterPool::new(settings.clone(), Session::writer(settings), STATEMENTS)
}

pub(crate) async fn borrow(writers: &WriterPool) -> BorrowedWriter {
    writers.borrow(plain::soon()).await.expect("a writer")
}

/// How many notes were added.
pub(crate) async fn add_note(
    writer: &mut WriterConnection,
    note: i32,
) -> Result<usize, WriteError> {
    writer.query("add_note", &[&note], plain::soon()).await.map(|rows| rows.len())
}

/// The server's process behind it.
pub(crate) async fn backend(writer: &mut WriterConnection) -> i32 {
    writer.query("backend", &[], plain::soon()).await.expect("a read")[0].get(0)
}

#[tokio::test]
async fn a_refusal_is_a_definite_no_and_the_connection_goes_on() {
    let settings = scratch::shared().await.database("refusal").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let writers = pool(&settings);
    let mut writer = borrow(&writers).await;
    assert_eq!(add_note(&mut writer, 1).await.expect("a new note"), 1);

    let refused = add_note(&mut writer, 1).await.expect_err("twice the same");
    assert_eq!(refused.code(), Some(&SqlState::UNIQUE_VIOLATION));
    assert_eq!(refused.constraint(), Some("notes_pkey"));
    assert_eq!(add_note(&mut writer, 2).await.expect("a new note"), 1);
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
    let mut writer = borrow(&pool(&settings)).await;
    add_note(&mut writer, 1).await.expect("a new note");

    let refused = add_note(&mut writer, 1).await.expect_err("twice the same");
    assert_eq!(refused.constraint(), Some("notes_once"));
    assert!(writer.is_usable());
    assert_eq!(plain::count_notes(&client).await, 1);
}

#[tokio::test]
async fn a_writer_whose_caller_left_is_not_lent_again() {
    let settings = scratch::shared().await.database("caller_left").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let writers = pool(&DatabaseSettings { writers_max: 1, ..settings });
    let mut writer = borrow(&writers).await;
    let first = backend(&mut writer).await;
    tokio::select! {
        _ = writer.query("slow_note", &[], plain::soon()) => panic!("it sleeps for a minute"),
        () = plain::until(&client, "SELECT EXISTS (SELECT FROM pg_stat_activity \
            WHERE datname = current_database() AND query LIKE '/* slow_note */%')") => {}
    }
    assert!(!writer.is_usable());
    assert!(matches!(add_note(&mut writer, 1).await, Err(WriteError::NotSent)));
    drop(writer);
    assert_ne!(backend(&mut *borrow(&writers).await).await, first);
}

#[tokio::test]
async fn a_writer_whose_server_went_away_is_not_lent_again() {
    let settings = scratch::shared().await.database("went_away").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let writers = pool(&settings);
    let mut writer = borrow(&writers).await;
    let first = backend(&mut writer).await;
    client.query("SELECT pg_terminate_backend($1)", &[&first]).await.expect("a superuser");
    plain::until(
        &client,
        "SELECT NOT EXISTS (SELECT FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = 'taquilla writer')",
    )
    .await;

    // Depending on who is first: already seen to be closed, or seen when it is used.
    match add_note(&mut writer, 1).await {
        Err(WriteError::NotSent | WriteError::Unknown(UnknownCause::Lost(_))) => {}
        other => panic!("the server was gone: {other:?}"),
    }
    drop(writer);
    let mut writer = borrow(&writers).await;
    assert_ne!(backend(&mut writer).await, first);
    add_note(&mut writer, 1).await.expect("a new note");
}

#[tokio::test]
async fn when_all_writers_are_lent_one_is_waited_for_until_the_deadline_and_no_shorter() {
    let settings = scratch::shared().await.database("all_lent").await.expect("a database");
    plain::with_notes(&settings).await;
    let writers = pool(&DatabaseSettings {
        writers_max: 1,
        pool_wait_timeout: Duration::from_millis(1),
        ..settings
    });
    let writer = borrow(&writers).await;
    let busy = writers.borrow(Instant::now() + Duration::from_millis(50)).await;
    assert!(matches!(busy, Err(BorrowError::Busy)), "{busy:?}");

    let next = writers.borrow(plain::soon());
    let come_back = async {
        // Far longer than others wait for a connection.
        tokio::time::timeout(Duration::from_millis(50), std::future::pending::<()>()).await.ok();
        drop(writer);
    };
    let (next, ()) = tokio::join!(next, come_back);
    next.expect("it came back");
}

#[tokio::test]
async fn a_writer_that_cannot_be_opened_leaves_its_place_to_the_next() {
    let settings = scratch::shared().await.database("no_notes").await.expect("a database");
    let writers = pool(&DatabaseSettings { writers_max: 1, ..settings.clone() });
    let error =
        writers.borrow(plain::soon()).await.expect_err("there is no table to prepare against");
    assert!(matches!(error, BorrowError::Connect(ConnectError::Driver(_))), "{error:?}");
    plain::with_notes(&settings).await;
    borrow(&writers).await;
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
    let silent = pool(&impatient).borrow(plain::soon()).await.expect_err("no answer");
    assert!(matches!(silent, BorrowError::Connect(ConnectError::TimedOut(_))), "{silent:?}");
    assert!(started.elapsed() < plain::DEADLINE);

    cluster.postgres.stop().await.expect("stopped");
    let stopped = in_time(pool(&settings).borrow(plain::soon())).await.expect_err("nobody listens");
    assert!(matches!(stopped, BorrowError::Connect(ConnectError::Driver(_))), "{stopped:?}");
}
