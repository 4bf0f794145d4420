//! Two owners of one event: the head lets the later one write, and only it.

use std::time::Duration;

use taquilla_engine::id::{EventNumber, Sequence};
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};

use super::box_office::{BoxOffice, EVENT, KEYS_KEPT};
use super::owner::{Owner, place_seats};
use crate::plain;

#[tokio::test]
async fn a_stale_owner_is_fenced_and_has_written_nothing() {
    let office = BoxOffice::open("fenced").await;
    let mut stale = Owner::start(&office).await;
    stale.ask(place_seats("ann", "k", &[1]));
    let batch = stale.gather(&office).expect("a batch");
    office.take_over().await;

    let before = office.rows().await;
    assert_eq!(office.append(&batch).await, Err(AppendError::Fenced));
    assert_eq!(office.rows().await, before);
}

#[tokio::test]
async fn a_batch_is_written_once_however_often_it_is_sent() {
    let office = BoxOffice::open("twice").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[1]));
    let batch = owner.commit(&office).await;
    let before = office.rows().await;
    assert_eq!(office.append(&batch).await, Err(AppendError::Fenced), "the sequence is another");
    assert_eq!(office.rows().await, before);
}

#[tokio::test]
async fn a_check_advances_nothing_but_time_and_is_fenced_like_any_batch() {
    let office = BoxOffice::open("check").await;
    let owner = office.take_over().await;
    let check = office.batch(&owner, vec![]);
    assert!(check.is_check());
    assert_eq!(office.append(&check).await, Ok(()));

    let next = office.take_over().await;
    assert_eq!(next.sequence, Sequence(0));
    assert!(next.decided_at >= check.now);
    assert_eq!(office.count("SELECT count(*) FROM outbox").await, 0);
    let before = office.rows().await;
    assert_eq!(office.append(&check).await, Err(AppendError::Fenced));
    assert_eq!(office.rows().await, before);
}

#[tokio::test]
async fn decision_time_never_runs_backwards_in_the_head() {
    let office = BoxOffice::open("backwards").await;
    let owner = office.take_over().await;
    let late = office.batch(&owner, vec![]);
    office.append(&late).await.expect("the owner");
    let mut early = late.clone();
    early.now = late.now - Duration::from_millis(100);
    office.append(&early).await.expect("the bound is wider");
    assert!(office.take_over().await.decided_at >= late.now);
}

#[tokio::test]
async fn each_takeover_has_an_epoch_of_its_own() {
    let office = BoxOffice::open("epochs").await;
    let first = office.take_over().await.epoch;
    let second = office.take_over().await.epoch;
    assert!(first < second);
}

#[tokio::test]
async fn a_process_takes_back_only_what_nobody_else_has_taken() {
    let office = BoxOffice::open("back").await;
    let other = office.other_journal(office.settings.clone());
    let take = |journal, from| Journal::take_over(journal, EVENT, from, KEYS_KEPT, &[]);
    let mine = take(&office.journal, TakeFrom::Anyone).await.expect("it is nobody's");
    let again = take(&office.journal, TakeFrom::OnlySelf).await.expect("it is its own");
    assert!(mine.epoch < again.epoch);
    let refused = take(&other, TakeFrom::OnlySelf).await;
    assert_eq!(refused.expect_err("it is another's"), TakeOverError::Overtaken);
    let theirs = take(&other, TakeFrom::Anyone).await.expect("a process that starts");
    let refused = take(&office.journal, TakeFrom::OnlySelf).await;
    assert_eq!(refused.expect_err("it has been taken"), TakeOverError::Overtaken);
    assert_eq!(office.take_over().await.epoch.0, theirs.epoch.0 + 1, "a refusal raises nothing");
}

#[tokio::test]
async fn an_event_without_a_head_cannot_be_taken_over() {
    let office = BoxOffice::open("no_event").await;
    let answer = office.journal.take_over(EventNumber(9), TakeFrom::Anyone, KEYS_KEPT, &[]).await;
    assert_eq!(answer.err(), Some(TakeOverError::NoSuchEvent));
}

#[tokio::test]
async fn a_takeover_waits_behind_the_batch_in_flight_and_sees_it() {
    let office = BoxOffice::open("in_flight").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[1]));
    let batch = owner.gather(&office).expect("a batch");

    // A row that the batch changes after it has passed the fence keeps it there.
    let mut slow = plain::client(&office.settings).await;
    let transaction = slow.transaction().await.expect("a transaction");
    let lock = "SELECT state FROM seats WHERE seat_key = 1048577 FOR UPDATE";
    transaction.query_one(lock, &[]).await.expect("the seat");
    let waits = |name: &str| {
        format!(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
               AND datname = current_database() AND query LIKE '/* {name} */%')"
        )
    };
    let taken = async {
        plain::until(&office.client, &waits("append_batch")).await;
        office.take_over().await
    };
    let ended = async {
        plain::until(&office.client, &waits("raise_epoch")).await;
        transaction.commit().await.expect("nothing was changed");
    };
    let (appended, snapshot, ()) = tokio::join!(office.append(&batch), taken, ended);
    appended.expect("the fence was passed before the takeover");
    assert_eq!((snapshot.sequence, snapshot.seats.len()), (Sequence(1), 1));
}
