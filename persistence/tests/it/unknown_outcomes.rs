//! A commit whose answer does not come: what the client may conclude, and what only the rows tell.

use std::time::Duration;

use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::writer::{UnknownCause, WriteError};
use tokio::time::Instant;

use crate::plain;
use crate::writers::{self, add_note, backend, borrow};

/// Long enough for an answer that does come, on a busy machine.
const SHORT: Duration = Duration::from_millis(500);

#[tokio::test]
async fn a_plain_client_that_times_out_around_a_commit_has_undone_nothing() {
    let cluster = scratch::shared().await;
    let settings = cluster.database("late_plain").await.expect("a database");
    let observer = plain::with_notes(&settings).await;
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let mut client = plain::client(&proxy.before(&settings)).await;
    let transaction = client.transaction().await.expect("a transaction");
    transaction.execute("INSERT INTO notes VALUES (1)", &[]).await.expect("a new note");
    proxy.hold_answers();
    tokio::time::timeout(SHORT, transaction.commit()).await.expect_err("no answer comes");

    plain::until(&observer, "SELECT EXISTS (SELECT FROM notes)").await;
}

#[tokio::test]
async fn a_writer_that_times_out_says_unknown_and_is_done_for() {
    let cluster = scratch::shared().await;
    let settings = cluster.database("late_writer").await.expect("a database");
    let observer = plain::with_notes(&settings).await;
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let writers = writers::pool(&proxy.before(&settings));
    let mut writer = borrow(&writers).await;
    let first = backend(&mut writer).await;
    proxy.hold_answers();
    let outcome = writer.query("add_note", &[&1], Instant::now() + SHORT).await;
    assert!(matches!(outcome, Err(WriteError::Unknown(UnknownCause::TimedOut))), "{outcome:?}");
    assert_eq!(proxy.until(|traffic| traffic.answers_held == 1).await.unanswered, 1);
    plain::until(&observer, "SELECT EXISTS (SELECT FROM notes)").await;

    // Even when the answer does come: nobody waits for it any more.
    assert!(!writer.is_usable());
    proxy.release();
    assert!(matches!(add_note(&mut writer, 2).await, Err(WriteError::NotSent)));
    drop(writer);
    let mut writer = borrow(&writers).await;
    assert_ne!(backend(&mut writer).await, first);
    add_note(&mut writer, 2).await.expect("a new note");
    assert_eq!(plain::count_notes(&observer).await, 2);
}
