//! Answers that do not come, come from the wrong place, or disagree about the time.

use std::time::Duration;

use taquilla_engine::clock::Clock;
use taquilla_engine::id::Sequence;
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_engine::moment::Moment;
use taquilla_engine::section::SeatState;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;

use super::box_office::{BoxOffice, EVENT, KEYS_KEPT, hold_of};
use super::owner::{Owner, place_seats};
use crate::plain::{self, in_time};

/// Longer than an answer takes on a busy machine that is not held back.
const SHORT: Duration = Duration::from_secs(1);

async fn behind_a_proxy(office: &BoxOffice) -> (Proxy, DatabaseSettings) {
    let port = scratch::shared().await.postgres.port();
    let proxy = Proxy::start(port).await.expect("a proxy");
    let settings = proxy.before(&office.settings);
    (proxy, DatabaseSettings { answer_timeout: SHORT, ..settings })
}

#[tokio::test]
async fn a_batch_whose_answer_is_held_back_is_unknown_and_a_takeover_tells_the_truth() {
    let office = BoxOffice::open("held_back").await;
    let (proxy, settings) = behind_a_proxy(&office).await;
    let far = office.other_journal(settings);
    let mut owner = Owner::start(&office).await;

    // A first batch, so that the writer is connected.
    owner.ask(place_seats("ann", "k", &[1]));
    let batch = owner.gather(&office).expect("a batch");
    in_time(far.append(&batch)).await.expect("the proxy lets it through");
    assert!(owner.committed(&batch));

    owner.ask(place_seats("bob", "k", &[2]));
    let batch = owner.gather(&office).expect("a batch");
    proxy.hold_answers();
    let outcome = in_time(far.append(&batch)).await;
    assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
    proxy.until(|traffic| traffic.answers_held == 1).await;

    let snapshot = office.take_over().await;
    assert_eq!(snapshot.sequence, Sequence(2));
    assert!(snapshot.seats.iter().any(|(_, it)| *it == SeatState::Held(hold_of("bob", "k"))));

    // The poisoned connection is not used again.
    proxy.release();
    assert_eq!(in_time(far.append(&batch)).await, Err(AppendError::Fenced));
}

#[tokio::test]
async fn a_batch_that_never_reached_the_server_is_unknown_and_a_takeover_says_no() {
    let office = BoxOffice::open("never_sent").await;
    let (proxy, settings) = behind_a_proxy(&office).await;
    let far = office.other_journal(settings);
    let owner = office.take_over().await;
    far.append(&office.batch(&owner, vec![])).await.expect("a writer is connected");

    proxy.hold_requests();
    let mut doomed = Owner::rebuild(owner);
    doomed.ask(place_seats("ann", "k", &[1]));
    let batch = doomed.gather(&office).expect("a batch");
    let outcome = in_time(far.append(&batch)).await;
    assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
    proxy.cut();
    assert_eq!(office.take_over().await.sequence, Sequence(0));
}

#[tokio::test]
async fn without_a_database_nothing_is_decided_and_nothing_taken_over() {
    let office = BoxOffice::open("refused").await;
    let (proxy, settings) = behind_a_proxy(&office).await;
    let far = office.other_journal(settings);
    let owner = office.take_over().await;
    proxy.refuse_connections(true);
    let batch = office.batch(&owner, vec![]);
    assert!(matches!(in_time(far.append(&batch)).await, Err(AppendError::Unknown(_))));
    let taken = in_time(far.take_over(EVENT, TakeFrom::Anyone, KEYS_KEPT, &[])).await;
    assert!(matches!(taken, Err(TakeOverError::Unavailable(_))), "{taken:?}");
}

#[tokio::test]
async fn a_lock_that_is_not_to_be_had_blames_no_batch() {
    let office = BoxOffice::open("locked").await;
    let impatient = DatabaseSettings { lock_timeout: SHORT, ..office.settings.clone() };
    let journal = office.other_journal(impatient);
    let owner = office.take_over().await;
    let mut other = plain::client(&office.settings).await;
    let transaction = other.transaction().await.expect("a transaction");
    let lock = "SELECT epoch FROM event_heads WHERE event_no = 1 FOR UPDATE";
    transaction.query_one(lock, &[]).await.expect("the head");
    let outcome = in_time(journal.append(&office.batch(&owner, vec![]))).await;
    assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_time_three_seconds_off_is_uncertain_either_way() {
    let office = BoxOffice::open("time_off").await;
    let owner = office.take_over().await;
    let before = office.rows().await;
    let off = Duration::from_secs(3);
    for stamp in [|now, off| now - off, |now: Moment, off| now + off] {
        let mut batch = office.batch(&owner, vec![]);
        batch.now = stamp(batch.now, off);
        assert_eq!(office.append(&batch).await, Err(AppendError::ClockUncertain));
    }
    assert_eq!(office.rows().await, before);
}

#[tokio::test]
async fn the_clock_follows_the_database() {
    let office = BoxOffice::open("clock").await;
    let pool = Pool::new(&office.settings).expect("a pool");
    let clock = DatabaseClock::connect(&pool).await.expect("a near database");
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let (before, database) = (clock.now(), office.count(sql).await);
    let apart = before.0.abs_diff(database).max(clock.now().0.abs_diff(database));
    assert!(apart < 1_000_000, "{apart} us apart");
}
