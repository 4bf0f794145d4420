//! Two owners of one event, the old one late: why a check that only reads does not keep it out. What
//! does is shown with real batches in `journal/owners.rs`.

use taquilla_persistence::private_postgres::scratch;
use tokio_postgres::Client;

use crate::plain;

async fn two_owners(name: &str) -> (Client, Client) {
    let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
    let old = plain::client(&settings).await;
    old.batch_execute(
        "INSERT INTO event_heads (event_no, epoch) VALUES (1, 1);
         CREATE TABLE notes (note int PRIMARY KEY)",
    )
    .await
    .expect("the schema is there");
    let new = plain::client(&settings).await;
    (old, new)
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
    let (mut old, new) = two_owners("read_epoch").await;
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
