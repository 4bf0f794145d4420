//! A commit whose answer does not come: what the client may conclude, and what only the rows tell.

use std::time::Duration;

use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::session::Session;
use taquilla_persistence::settings::{DatabaseSettings, SynchronousCommit};
use taquilla_persistence::writer::{NamedStatement, UnknownCause, WriteError, WriterConnection};

use crate::plain::{self, in_time};
use crate::writers;

/// Long enough for an answer that does come, on a busy machine.
const SHORT: Duration = Duration::from_millis(500);

const ADVANCE: &[NamedStatement] = &[NamedStatement {
    name: "advance",
    sql: "/* advance */ UPDATE event_heads SET seq = seq + 1 \
          WHERE event_no = 1 AND epoch = 1 AND seq = $1",
}];
const BUMP: &str = "UPDATE event_heads SET epoch = epoch + 1 WHERE event_no = 1";
const READ_HEAD: &str = "SELECT epoch, seq FROM event_heads WHERE event_no = 1";

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
    let writers =
        writers::pool(&DatabaseSettings { answer_timeout: SHORT, ..proxy.before(&settings) });
    let mut writer = writers.borrow().await.expect("a writer");
    let first = writer.backend_pid();
    proxy.hold_answers();
    let outcome = writer.execute("add_note", &[&1]).await.expect_err("no answer comes");
    assert!(matches!(outcome, WriteError::Unknown(UnknownCause::TimedOut(_))), "{outcome:?}");
    assert_eq!(proxy.until(|traffic| traffic.answers_held == 1).await.unanswered, 1);
    plain::until(&observer, "SELECT EXISTS (SELECT FROM notes)").await;

    // Even when the answer does come: nobody waits for it any more.
    assert!(!writer.is_usable());
    proxy.release();
    assert!(matches!(writer.execute("add_note", &[&2]).await, Err(WriteError::NotSent)));
    drop(writer);
    let mut writer = writers.borrow().await.expect("a writer");
    assert_ne!(writer.backend_pid(), first);
    writer.execute("add_note", &[&2]).await.expect("a new note");
    assert_eq!(plain::count_notes(&observer).await, 2);
}

/// Where the connection breaks: on the way there, or on the way back.
enum Cut {
    BeforeTheServer,
    AfterTheCommit,
}

/// Cuts one advance of the head from 0 and returns the epoch and sequence after the next bump.
async fn head_after(name: &str, cut: Cut) -> (i64, i64) {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database(name).await.expect("a database");
    let observer = plain::client(&settings).await;
    observer
        .batch_execute("INSERT INTO event_heads (event_no, epoch) VALUES (1, 1)")
        .await
        .expect("the schema is there");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let session = Session::writer(&settings, SynchronousCommit::On);
    let mut writer = WriterConnection::connect(&proxy.before(&settings), &session, ADVANCE)
        .await
        .expect("a writer");

    match cut {
        Cut::BeforeTheServer => proxy.hold_requests(),
        Cut::AfterTheCommit => proxy.hold_answers(),
    }
    let cutting = async {
        match cut {
            Cut::BeforeTheServer => proxy.until(|traffic| traffic.requests_held == 1).await,
            Cut::AfterTheCommit => proxy.until(|traffic| traffic.answers_held == 1).await,
        };
        proxy.cut();
    };
    let (outcome, ()) =
        in_time(async { tokio::join!(writer.execute("advance", &[&0_i64]), cutting) }).await;
    assert!(matches!(outcome, Err(WriteError::Unknown(UnknownCause::Lost(_)))), "{outcome:?}");

    observer.batch_execute(BUMP).await.expect("the next owner");
    let head = observer.query_one(READ_HEAD, &[]).await.expect("a head");
    (head.get(0), head.get(1))
}

#[tokio::test]
async fn the_head_tells_that_a_cut_batch_had_not_arrived() {
    assert_eq!(head_after("cut_before", Cut::BeforeTheServer).await, (2, 0));
}

#[tokio::test]
async fn the_head_tells_that_a_cut_batch_was_committed() {
    assert_eq!(head_after("cut_after", Cut::AfterTheCommit).await, (2, 1));
}

#[tokio::test]
async fn a_batch_that_arrives_after_the_bump_changes_nothing() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("late_batch").await.expect("a database");
    let observer = plain::client(&settings).await;
    observer
        .batch_execute("INSERT INTO event_heads (event_no, epoch) VALUES (1, 1)")
        .await
        .expect("the schema is there");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let through = DatabaseSettings { answer_timeout: SHORT, ..proxy.before(&settings) };
    let session = Session::writer(&settings, SynchronousCommit::On);
    let mut writer =
        WriterConnection::connect(&through, &session, ADVANCE).await.expect("a writer");
    proxy.hold_requests();
    let outcome = writer.execute("advance", &[&0_i64]).await;
    assert!(matches!(outcome, Err(WriteError::Unknown(UnknownCause::TimedOut(_)))), "{outcome:?}");

    observer.batch_execute(BUMP).await.expect("the next owner");
    proxy.release();
    in_time(proxy.until(|traffic| traffic.requests_held == 0 && traffic.unanswered == 0)).await;
    let head = observer.query_one(READ_HEAD, &[]).await.expect("a head");
    assert_eq!((head.get::<_, i64>(0), head.get::<_, i64>(1)), (2, 0));
}
