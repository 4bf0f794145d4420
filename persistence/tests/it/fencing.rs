//! Two owners of one event, the old one late: which check keeps it out?

use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::Client;

use crate::plain::{self, in_time};

async fn two_owners(name: &str) -> (Client, Client, DatabaseSettings) {
    let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
    let old = plain::client(&settings).await;
    old.batch_execute(
        "INSERT INTO event_heads (event_no, epoch) VALUES (1, 1);
         CREATE TABLE notes (note int PRIMARY KEY)",
    )
    .await
    .expect("the schema is there");
    let new = plain::client(&settings).await;
    (old, new, settings)
}

async fn bump(new: &Client) {
    let bumped = new
        .execute("UPDATE event_heads SET epoch = epoch + 1 WHERE event_no = 1", &[])
        .await
        .expect("the next owner");
    assert_eq!(bumped, 1);
}

#[tokio::test]
async fn an_epoch_that_is_only_read_lets_an_old_owner_in_after_the_new_one_has_loaded() {
    let (mut old, new, _) = two_owners("read_epoch").await;
    let batch = old.transaction().await.expect("a transaction");
    let epoch: i64 = batch
        .query_one("SELECT epoch FROM event_heads WHERE event_no = 1", &[])
        .await
        .expect("a head")
        .get(0);
    assert_eq!(epoch, 1, "still the owner, it believes");

    bump(&new).await;
    assert_eq!(plain::count_notes(&new).await, 0, "loaded: no note");

    batch.execute("INSERT INTO notes VALUES (1)", &[]).await.expect("nothing stops it");
    batch.commit().await.expect("nothing stops it");
    assert_eq!(plain::count_notes(&new).await, 1, "the new owner's memory is wrong now");
}

const FENCED: &str = "WITH fence AS (
        UPDATE event_heads SET seq = seq + 1 WHERE event_no = 1 AND epoch = $1 AND seq = $2
        RETURNING seq)
    INSERT INTO notes SELECT seq::int FROM fence";

#[tokio::test]
async fn a_conditional_update_of_the_head_shuts_the_old_owner_out() {
    let (old, new, _) = two_owners("conditional_update").await;
    assert_eq!(old.execute(FENCED, &[&1_i64, &0_i64]).await.expect("the owner"), 1);
    bump(&new).await;
    assert_eq!(plain::count_notes(&new).await, 1, "loaded: one note");

    assert_eq!(old.execute(FENCED, &[&1_i64, &1_i64]).await.expect("no error"), 0, "fenced");
    assert_eq!(plain::count_notes(&new).await, 1);
    assert_eq!(new.execute(FENCED, &[&2_i64, &1_i64]).await.expect("the owner"), 1);
}

#[tokio::test]
async fn a_takeover_waits_for_the_batch_that_is_in_flight() {
    let (mut old, new, settings) = two_owners("in_flight").await;
    let observer = plain::client(&settings).await;
    let batch = old.transaction().await.expect("a transaction");
    assert_eq!(batch.execute(FENCED, &[&1_i64, &0_i64]).await.expect("the owner"), 1);

    let blocked = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND query LIKE 'UPDATE event_heads SET epoch%')";
    let takeover = async {
        bump(&new).await;
        plain::count_notes(&new).await
    };
    let release = async {
        plain::until(&observer, blocked).await;
        batch.commit().await.expect("the fence was passed before the takeover");
    };
    let (loaded, ()) = in_time(async { tokio::join!(takeover, release) }).await;
    assert_eq!(loaded, 1, "what was in flight is loaded");
}
