//! What a takeover reads, and what it leaves in the rows.

use std::time::Duration;

use taquilla_engine::command::Command;
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId};
use taquilla_engine::journal::{Journal, TakeFrom, TakeOverError};
use taquilla_engine::order::Verdict;

use super::box_office::{BoxOffice, EVENT, FLOOR, KEYS_KEPT, hold_of};
use super::owner::{Owner, buyer, order, place, place_seats, release};

const BRIEFLY: Duration = Duration::from_secs(60);

async fn holds(office: &BoxOffice, keys_kept: Duration, also: &[HoldId]) -> Vec<HoldId> {
    let read = office.journal.take_over(EVENT, TakeFrom::Anyone, keys_kept, also).await;
    read.expect("the event exists").holds.iter().map(|hold| hold.id).collect()
}

#[tokio::test]
async fn old_holds_are_read_if_they_are_active_or_asked_for() {
    let office = BoxOffice::open("old_holds").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[1]));
    owner.ask(place_seats("bob", "k", &[2]));
    owner.ask(place_seats("cid", "k", &[3]));
    owner.ask(release("bob", hold_of("bob", "k")));
    owner.ask(release("cid", hold_of("cid", "k")));
    owner.commit(&office).await;

    // They are an hour old.
    assert_eq!(holds(&office, KEYS_KEPT, &[]).await.len(), 3);
    assert_eq!(holds(&office, BRIEFLY, &[]).await, [hold_of("ann", "k")]);
    let asked_for = holds(&office, BRIEFLY, &[hold_of("cid", "k")]).await;
    assert_eq!(asked_for.len(), 2);
    assert!(asked_for.contains(&hold_of("cid", "k")));
}

#[tokio::test]
async fn an_old_hold_is_read_while_money_of_its_order_is_on_its_way() {
    let office = BoxOffice::open("money").await;
    let mut owner = Owner::start(&office).await;
    let hold = hold_of("ann", "k");
    let (id, attempt) = (OrderId::of(hold), AttemptId::derive(EVENT, &buyer("ann"), "p"));
    owner.ask(place_seats("ann", "k", &[1]));
    owner.ask(order("ann", "o", hold));
    owner.commit(&office).await;
    office.authorize(attempt.uuid(), id.uuid()).await;
    owner.ask(release("ann", hold));
    owner.commit(&office).await;
    let snapshot =
        office.journal.take_over(EVENT, TakeFrom::Anyone, BRIEFLY, &[]).await.expect("an event");
    assert_eq!(snapshot.holds[0].order, Some(id));

    let mut late = Owner::rebuild(snapshot);
    late.ask(Command::ConfirmOrder { order: id, attempt });
    late.commit(&office).await;
    let snapshot =
        office.journal.take_over(EVENT, TakeFrom::Anyone, BRIEFLY, &[]).await.expect("an event");
    assert_eq!(snapshot.orders[0].verdicts, [(attempt, Verdict::VoidDue)]);

    let voided = "UPDATE payment_attempts SET status = 'voided'";
    office.client.execute(voided, &[]).await.expect("an attempt");
    assert_eq!(holds(&office, BRIEFLY, &[]).await, []);
    let snapshot = office.take_over().await;
    assert_eq!(snapshot.orders[0].verdicts, [(attempt, Verdict::VoidDue)]);
}

#[tokio::test]
async fn an_old_hold_is_read_while_a_younger_key_names_its_order() {
    let office = BoxOffice::open("named").await;
    let mut owner = Owner::start(&office).await;
    let hold = hold_of("ann", "k");
    owner.ask(place_seats("ann", "k", &[1]));
    owner.ask(order("ann", "o", hold));
    owner.ask(release("ann", hold));
    owner.commit(&office).await;
    owner.pass(Duration::from_secs(3_590));
    owner.ask(order("ann", "later", hold));
    owner.commit(&office).await;

    let snapshot =
        office.journal.take_over(EVENT, TakeFrom::Anyone, BRIEFLY, &[]).await.expect("an event");
    assert_eq!((snapshot.holds.len(), snapshot.receipts.len()), (1, 1));
    assert_eq!(snapshot.holds[0].status, HoldStatus::Released);
}

#[tokio::test]
async fn a_hold_is_read_as_it_was_written() {
    let office = BoxOffice::open("as_written").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[17, 12, 15]));
    owner.ask(place("ann", "f", Claim::of_places(FLOOR, 3)));
    owner.ask(place_seats("bob", "k", &[0]));
    let batch = owner.commit(&office).await;
    let mut read = office.take_over().await.holds;
    read.sort_by_key(|hold| hold.id);
    assert_eq!(read, batch.holds_placed.into_values().collect::<Vec<_>>());
}

#[tokio::test]
async fn rows_that_mean_nothing_are_broken_not_guessed_at() {
    let office = BoxOffice::open("broken").await;
    let foreign =
        "UPDATE seats SET state = 1, hold_id = gen_random_uuid() WHERE seat_key = 1048576";
    office.client.execute(foreign, &[]).await.expect("a seat");
    let read = office.journal.take_over(EVENT, TakeFrom::Anyone, KEYS_KEPT, &[]).await;
    assert!(matches!(read, Err(TakeOverError::Broken(_))), "{read:?}");
}
