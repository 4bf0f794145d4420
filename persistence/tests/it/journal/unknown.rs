//! Answers that do not come, come from the wrong place, or disagree about the time.

use std::time::{Duration, Instant};

use taquilla_engine::event::{Batch, Snapshot};
use taquilla_engine::id::Sequence;
use taquilla_engine::journal::{AppendError, Journal, TakeFrom, TakeOverError};
use taquilla_engine::moment::Moment;
use taquilla_engine::section::SeatState;
use taquilla_persistence::journal::PostgresJournal;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::settings::DatabaseSettings;

use super::box_office::{BoxOffice, EVENT, KEYS_KEPT, hold_of};
use super::owner::{Owner, place_seats};
use crate::plain::{self, in_time};

/// Longer than an answer takes on a busy machine that is not held back.
const SHORT: Duration = Duration::from_secs(1);

async fn behind_a_proxy(office: &BoxOffice) -> (Proxy, DatabaseSettings) {
    let (proxy, settings) = plain::behind_a_proxy(&office.settings).await;
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

/// A batch of a hold, and the journal behind a proxy by which it is to be sent: a writer is connected.
async fn about_to_be_sent(office: &BoxOffice) -> (Proxy, PostgresJournal, Batch) {
    let (proxy, settings) = behind_a_proxy(office).await;
    let far = office.other_journal(settings);
    let check = office.batch(&office.take_over().await, vec![]);
    far.append(&check).await.expect("a writer is connected");
    let mut owner = Owner::start(office).await;
    owner.ask(place_seats("ann", "k", &[1]));
    let batch = owner.gather(office).expect("a batch");
    assert!(!batch.is_check());
    (proxy, far, batch)
}

/// Where the connection breaks: on the way there, or on the way back.
enum Cut {
    BeforeTheServer,
    AfterTheCommit,
}

/// What the next owner reads after a batch whose connection broke.
async fn after_a_cut(name: &str, cut: Cut) -> Snapshot {
    let office = BoxOffice::open(name).await;
    let (proxy, far, batch) = about_to_be_sent(&office).await;
    let cutting = async {
        match cut {
            Cut::BeforeTheServer => {
                proxy.hold_requests();
                proxy.until(|traffic| traffic.requests_held == 1).await;
            }
            Cut::AfterTheCommit => {
                proxy.hold_answers();
                proxy.until(|traffic| traffic.answers_held == 1).await;
            }
        }
        proxy.cut();
    };
    // In this order: what is sent finds the proxy holding.
    let ((), outcome) = in_time(async { tokio::join!(biased; cutting, far.append(&batch)) }).await;
    assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
    office.take_over().await
}

#[tokio::test]
async fn a_takeover_tells_that_a_batch_whose_connection_broke_had_not_arrived() {
    let snapshot = after_a_cut("cut_before", Cut::BeforeTheServer).await;
    assert_eq!((snapshot.sequence, snapshot.seats.len()), (Sequence(0), 0));
}

#[tokio::test]
async fn a_takeover_tells_that_a_batch_whose_connection_broke_was_committed() {
    let snapshot = after_a_cut("cut_after", Cut::AfterTheCommit).await;
    assert_eq!((snapshot.sequence, snapshot.seats.len()), (Sequence(1), 1));
}

#[tokio::test]
async fn a_batch_that_arrives_after_the_takeover_changes_nothing() {
    let office = BoxOffice::open("late_batch").await;
    let (_proxy, far, batch) = about_to_be_sent(&office).await;
    let writers = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
        AND application_name = 'taquilla writer'";
    // The takeovers' own connections end first.
    let alone = format!("SELECT count(*) = 1 FROM ({writers}) AS writers");
    plain::until(&office.client, &alone).await;
    let writer: i32 = office.client.query_one(writers, &[]).await.expect("one writer").get(0);
    // The server has received the batch by then, and does not know it yet.
    plain::signal("STOP", writer);
    let outcome = in_time(far.append(&batch)).await;
    assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
    let owner = office.take_over().await;
    assert_eq!((owner.sequence, owner.seats.len()), (Sequence(0), 0));

    let before = office.rows().await;
    plain::signal("CONT", writer);
    let gone = format!("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {writer})");
    plain::until(&office.client, &gone).await;
    assert_eq!(office.rows().await, before);
}

/// The wait for a writer, a new connection and the answer have one deadline together.
#[tokio::test]
async fn a_batch_is_given_up_at_its_deadline_wherever_it_is() {
    let office = BoxOffice::open("one_deadline").await;
    let (proxy, settings) = behind_a_proxy(&office).await;
    let far = office.other_journal(DatabaseSettings { writers_max: 1, ..settings });
    let owner = office.take_over().await;
    let batch = office.batch(&owner, vec![]);
    proxy.hold_answers();
    let started = Instant::now();
    let (connecting, waiting) =
        in_time(async { tokio::join!(far.append(&batch), far.append(&batch)) }).await;
    for outcome in [connecting, waiting] {
        assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
    }
    assert!(started.elapsed() < 2 * SHORT, "{:?}", started.elapsed());
}

/// Others wait for a connection for far shorter.
#[tokio::test]
async fn a_batch_waits_for_a_writer_as_long_as_it_has() {
    let office = BoxOffice::open("patient").await;
    let (proxy, settings) = plain::behind_a_proxy(&office.settings).await;
    let far = office.other_journal(DatabaseSettings {
        writers_max: 1,
        pool_wait_timeout: Duration::from_millis(1),
        ..settings
    });
    let owner = office.take_over().await;
    let batch = office.batch(&owner, vec![]);
    far.append(&batch).await.expect("a writer is connected");
    proxy.hold_answers();
    let held = async {
        proxy.until(|traffic| traffic.answers_held == 1).await;
        tokio::time::timeout(Duration::from_millis(100), std::future::pending::<()>()).await.ok();
        proxy.release();
    };
    let (first, second, ()) =
        in_time(async { tokio::join!(far.append(&batch), far.append(&batch), held) }).await;
    assert_eq!((first, second), (Ok(()), Ok(())));
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
