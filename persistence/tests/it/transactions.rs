use std::sync::atomic::{AtomicU32, Ordering};

use taquilla_persistence::pool::{Pool, TransactionError};
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio::sync::Notify;
use tokio_postgres::error::SqlState;

use crate::plain::{self, in_time};

#[tokio::test]
async fn the_driver_calls_the_commit_of_an_aborted_transaction_a_success() {
    let settings = scratch::shared().await.database("aborted_plain").await.expect("a database");
    let mut client = plain::with_notes(&settings).await;
    let transaction = client.transaction().await.expect("a transaction");
    transaction.execute("INSERT INTO notes VALUES (1)", &[]).await.expect("a new note");
    transaction.execute("INSERT INTO notes VALUES (1)", &[]).await.expect_err("twice the same");
    transaction.commit().await.expect("which is the trap");
    assert_eq!(plain::count_notes(&client).await, 0, "nothing was committed");
}

#[tokio::test]
async fn a_transaction_that_swallowed_a_failure_is_no_success() {
    let settings = scratch::shared().await.database("aborted_ours").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let pool = Pool::new(&settings).expect("a good URL");
    let outcome = pool
        .run_tx("swallow", |transaction| async move {
            transaction.execute("/* swallow */ INSERT INTO notes VALUES (1)", &[]).await?;
            let twice =
                transaction.execute("/* swallow */ INSERT INTO notes VALUES (1)", &[]).await;
            drop(twice);
            Ok(())
        })
        .await;
    match outcome {
        Err(TransactionError::RolledBack(error)) => {
            assert_eq!(error.code(), Some(&SqlState::IN_FAILED_SQL_TRANSACTION));
        }
        other => panic!("nothing was committed: {other:?}"),
    }
    assert_eq!(plain::count_notes(&client).await, 0);
}

#[tokio::test]
async fn a_transaction_that_loses_a_deadlock_is_run_again() {
    let settings = scratch::shared().await.database("deadlock").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    client.batch_execute("INSERT INTO notes VALUES (1), (2)").await.expect("new notes");
    let pool = Pool::new(&settings).expect("a good URL");
    let runs = AtomicU32::new(0);
    let both_hold_one = tokio::sync::Barrier::new(2);
    let lock_both = async |first: i32, second: i32| {
        let met = AtomicU32::new(0);
        pool.run_tx("lock_both", async |transaction| {
            runs.fetch_add(1, Ordering::Relaxed);
            const LOCK: &str = "/* lock_both */ SELECT FROM notes WHERE note = $1 FOR UPDATE";
            transaction.query(LOCK, &[&first]).await?;
            if met.fetch_add(1, Ordering::Relaxed) == 0 {
                both_hold_one.wait().await;
            }
            transaction.query(LOCK, &[&second]).await.map(drop)
        })
        .await
    };
    let (one, two) = in_time(async { tokio::join!(lock_both(1, 2), lock_both(2, 1)) }).await;
    one.expect("run again, or the winner");
    two.expect("run again, or the winner");
    assert_eq!(runs.into_inner(), 3, "one of them ran twice");
}

#[tokio::test]
async fn a_transaction_whose_caller_left_is_rolled_back_and_not_lent_again() {
    let settings = scratch::shared().await.database("tx_left").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let pool = Pool::new(&DatabaseSettings { pool_max: 1, ..settings }).expect("a good URL");
    let noted = &Notify::new();
    let left = pool.run_tx("leave", |transaction| async move {
        transaction.execute("/* leave */ INSERT INTO notes VALUES (1)", &[]).await?;
        noted.notify_one();
        std::future::pending::<Result<(), _>>().await
    });
    tokio::select! {
        _ = left => panic!("it waits for ever"),
        () = noted.notified() => {}
    }
    pool.run_tx("next", |transaction| async move {
        transaction.execute("/* next */ INSERT INTO notes VALUES (1)", &[]).await
    })
    .await
    .expect("the note is not there");
    assert_eq!(plain::count_notes(&client).await, 1);
}

#[tokio::test]
async fn a_snapshot_writes_nothing() {
    let settings = scratch::shared().await.database("snapshot").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let pool = Pool::new(&settings).expect("a good URL");
    let outcome = pool
        .run_snapshot("write", |transaction| async move {
            transaction.execute("/* write */ INSERT INTO notes VALUES (1)", &[]).await
        })
        .await;
    assert!(matches!(outcome, Err(TransactionError::RolledBack(_))), "{outcome:?}");
    assert_eq!(plain::count_notes(&client).await, 0);
}

#[tokio::test]
async fn a_transaction_can_run_in_a_task_of_its_own() {
    let settings = scratch::shared().await.database("spawned").await.expect("a database");
    let client = plain::with_notes(&settings).await;
    let pool = Pool::new(&settings).expect("a good URL");
    let note = 1;
    tokio::spawn(async move {
        pool.run_tx("add_note", |transaction| async move {
            transaction.execute("/* add_note */ INSERT INTO notes VALUES ($1)", &[&note]).await
        })
        .await
    })
    .await
    .expect("no panic")
    .expect("a new note");
    assert_eq!(plain::count_notes(&client).await, 1);
}
