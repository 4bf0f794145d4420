//! A commit that waits for a standby, and a cancel of that wait.

use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::pool::{Pool, TransactionError};
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use taquilla_persistence::settings::DatabaseSettings;
use taquilla_persistence::tickets::{NewScan, Scanned, Tickets};
use taquilla_persistence::writer::{UnknownCause, WriteError};
use tokio_postgres::Client;

use crate::plain::{self, STUCK, in_time};
use crate::writers;

/// Waits until a commit is stuck, then cancels its wait, as an impatient operator might.
async fn cancel_the_wait(observer: &Client) {
    plain::until(observer, STUCK).await;
    observer
        .batch_execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
        )
        .await
        .expect("a superuser");
}

/// Makes every commit wait for a standby that does not exist, from its return on.
async fn require_a_standby(observer: &Client, settings: &DatabaseSettings) {
    for sql in [
        "ALTER SYSTEM SET synchronous_standby_names = 'nobody'",
        "SELECT pg_reload_conf()",
        "SET synchronous_commit = local",
    ] {
        observer.batch_execute(sql).await.expect("a superuser");
    }
    // One process of the server puts the new value into force for all: until then commits pass.
    let probe = plain::client(settings).await;
    let stuck = async {
        loop {
            tokio::select! {
                passed = probe.batch_execute("SELECT pg_logical_emit_message(true, '', '')") => {
                    passed.expect("a commit");
                }
                () = plain::until(observer, STUCK) => return,
            }
        }
    };
    in_time(stuck).await;
    cancel_the_wait(observer).await;
    plain::until(
        observer,
        "SELECT NOT EXISTS (SELECT FROM pg_stat_activity \
        WHERE wait_event = 'SyncRep')",
    )
    .await;
}

#[tokio::test]
async fn a_cancelled_wait_for_the_standby_is_never_taken_for_a_yes() {
    let cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let settings = cluster.database("standby").await.expect("a database");
    let observer = plain::with_notes(&settings).await;
    let mut writer = writers::borrow(&writers::pool(&settings)).await;
    let pool = Pool::new(&settings).expect("a good URL");
    drop(pool.connection().await.expect("a connection"));
    let plain_client = plain::client(&settings).await;
    require_a_standby(&observer, &settings).await;

    // The trap: the driver says yes to a row that no standby has.
    let insert = plain_client.execute("INSERT INTO notes VALUES (1)", &[]);
    let (said, ()) = in_time(async { tokio::join!(insert, cancel_the_wait(&observer)) }).await;
    assert_eq!(said.expect("the driver says yes"), 1);

    let insert = writers::add_note(&mut writer, 2);
    let (said, ()) = in_time(async { tokio::join!(insert, cancel_the_wait(&observer)) }).await;
    assert!(matches!(said, Err(WriteError::Unknown(UnknownCause::NotDurable))), "{said:?}");
    assert!(!writer.is_usable());

    let insert = pool.run_tx("add_note", |transaction| async move {
        transaction.execute("/* add_note */ INSERT INTO notes VALUES (3)", &[]).await
    });
    let (said, ()) = in_time(async { tokio::join!(insert, cancel_the_wait(&observer)) }).await;
    assert!(matches!(said, Err(TransactionError::Unknown(_))), "{said:?}");

    // Each is on this disk. The warning leaves the server before the row can be seen.
    plain::until(&observer, "SELECT count(*) = 3 FROM notes").await;
}

#[tokio::test]
async fn a_pooled_connection_is_lent_only_after_an_acknowledged_commit() {
    let cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let settings = cluster.database("standby").await.expect("a database");
    let observer = plain::client(&settings).await;
    require_a_standby(&observer, &settings).await;
    let pool = Pool::new(&settings).expect("a good URL");
    let (lent, ()) =
        in_time(async { tokio::join!(pool.connection(), cancel_the_wait(&observer)) }).await;
    lent.expect_err("the standby acknowledged nothing");
}

#[tokio::test]
async fn a_scan_is_told_again_only_once_its_first_answer_is_durable() {
    let cluster = ScratchCluster::start(&[]).await.expect("a cluster");
    let settings = cluster.migrated_database("standby").await.expect("a database");
    let observer = plain::client(&settings).await;
    let tickets = Tickets::new(Database::new(Pool::new(&settings).expect("a good URL"), &settings));
    let scan = NewScan { id: "s", code_hash: &[1; 32], ticket: None, who: "gate" };
    let first = in_time(tickets.scan(scan)).await.expect("an answer");
    assert!(matches!(first, Scanned::Told { replayed: false, .. }), "{first:?}");
    require_a_standby(&observer, &settings).await;
    let (again, ()) =
        in_time(async { tokio::join!(tickets.scan(scan), cancel_the_wait(&observer)) }).await;
    let unknown = matches!(again, Err(DatabaseError::Transaction(TransactionError::Unknown(_))));
    assert!(unknown, "the standby acknowledged nothing: {again:?}");
}
