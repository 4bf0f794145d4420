//! Several decisions about one row in one batch: Postgres must end with the last of them.

use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Command;
use taquilla_engine::event::Snapshot;
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::id::{AttemptId, OrderId, SeatIndex, TicketId};
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::section::SeatState;
use taquilla_persistence::codec::{self, Record};

use super::box_office::{BoxOffice, EVENT, FLOOR, HOLD_TTL, hold_of};
use super::owner::{Owner, buyer, order, place, place_seats, release};

#[tokio::test]
async fn a_hold_placed_and_released_in_one_batch_leaves_the_seat_free() {
    let office = BoxOffice::open("hold_release").await;
    let mut owner = Owner::start(&office).await;
    let hold = hold_of("ann", "k");
    owner.ask(place_seats("ann", "k", &[3, 4]));
    owner.ask(release("ann", hold));
    let batch = owner.commit(&office).await;
    assert!(batch.seats.is_empty() && batch.buyers.is_empty() && batch.holds_ended.is_empty());

    let snapshot = office.take_over().await;
    assert!(snapshot.seats.is_empty() && snapshot.buyers.is_empty());
    assert_eq!(status_of(&snapshot, "ann", "k"), HoldStatus::Released);
    assert_eq!(office.count("SELECT count(*) FROM holds WHERE ended_at IS NOT NULL").await, 1);
}

#[tokio::test]
async fn a_seat_whose_hold_expired_is_held_again_in_the_same_batch() {
    let office = BoxOffice::open("expire_hold").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[3, 4]));
    owner.commit(&office).await;
    owner.pass(HOLD_TTL);
    owner.ask(place_seats("bob", "k", &[4, 5]));
    owner.commit(&office).await;

    let snapshot = office.take_over().await;
    let bobs = SeatState::Held(hold_of("bob", "k"));
    assert_eq!(seats_of(&snapshot), [(SeatIndex(4), bobs), (SeatIndex(5), bobs)]);
    assert_eq!(snapshot.buyers, [(buyer("bob"), 2)]);
    assert_eq!(status_of(&snapshot, "ann", "k"), HoldStatus::Expired);
    assert_eq!(status_of(&snapshot, "bob", "k"), HoldStatus::Active);
    Owner::rebuild(snapshot);
}

#[tokio::test]
async fn places_that_many_holds_move_in_one_batch_are_counted_once() {
    let office = BoxOffice::open("places").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place("ann", "k", Claim::of_places(FLOOR, 5)));
    owner.ask(place("bob", "k", Claim::of_places(FLOOR, 3)));
    owner.ask(release("ann", hold_of("ann", "k")));
    owner.ask(place("cid", "k", Claim::of_places(FLOOR, 4)));
    owner.commit(&office).await;

    let snapshot = office.take_over().await;
    let [(FLOOR, places)] = snapshot.places[..] else { panic!("{:?}", snapshot.places) };
    assert_eq!((places.held, places.sold), (7, 0));
    Owner::rebuild(snapshot);
}

#[tokio::test]
async fn a_hold_placed_and_sold_in_one_batch_is_sold() {
    let office = BoxOffice::open("hold_sell").await;
    let mut owner = Owner::start(&office).await;
    let hold = hold_of("ann", "k");
    owner.ask(place_seats("ann", "k", &[20, 21]));
    let asked = owner.ask(order("ann", "o", hold));
    owner.commit(&office).await;
    assert!(matches!(owner.outcome(asked), Outcome::Order { created: true, .. }));

    let snapshot = office.take_over().await;
    let sold = SeatState::Sold(hold);
    assert_eq!(seats_of(&snapshot), [(SeatIndex(20), sold), (SeatIndex(21), sold)]);
    assert_eq!(status_of(&snapshot, "ann", "k"), HoldStatus::Converted);
    assert_eq!(snapshot.orders[0].status, OrderStatus::Confirmed);
    assert_eq!(snapshot.receipts.len(), 1);
    assert_eq!(office.count("SELECT count(*) FROM tickets WHERE status = 0").await, 2);

    let replayed = Owner::rebuild(snapshot);
    assert_replays_the_order(replayed, &office).await;
}

async fn assert_replays_the_order(mut owner: Owner, office: &BoxOffice) {
    let again = owner.ask(order("ann", "o", hold_of("ann", "k")));
    let batch = owner.commit(office).await;
    assert!(batch.is_check(), "the answer is known; only the head is matched");
    assert!(matches!(owner.outcome(again), Outcome::Order { created: true, .. }));
}

#[tokio::test]
async fn a_paid_order_is_confirmed_with_its_attempt_its_seats_and_its_tickets() {
    let office = BoxOffice::open("confirm").await;
    let mut owner = Owner::start(&office).await;
    let hold = hold_of("ann", "k");
    let (id, attempt) = (OrderId::of(hold), AttemptId::derive(EVENT, &buyer("ann"), "p"));
    owner.ask(place_seats("ann", "k", &[7]));
    owner.ask(order("ann", "o", hold));
    owner.commit(&office).await;
    office.authorize(attempt.uuid(), id.uuid()).await;
    let asked = owner.ask(Command::ConfirmOrder { order: id, attempt });
    owner.commit(&office).await;
    assert_eq!(*owner.outcome(asked), Outcome::Verdict(Verdict::Confirmed));

    let snapshot = office.take_over().await;
    assert_eq!(snapshot.orders[0].verdicts, [(attempt, Verdict::Confirmed)]);
    assert_eq!(seats_of(&snapshot), [(SeatIndex(7), SeatState::Sold(hold))]);
    let confirmed = "SELECT count(*) FROM payment_attempts WHERE status = 'confirmed'";
    assert_eq!(office.count(confirmed).await, 1);

    let sql = "SELECT payload FROM outbox WHERE seq = 2";
    let payload = office.client.query_one(sql, &[]).await.expect("a row a batch");
    let history = codec::decode(payload.get(0)).expect("our own format");
    let ticket = TicketId::of(id, 0).uuid();
    let issued = |it: &Record| matches!(it, Record::TicketIssued { ticket: t, .. } if *t == ticket);
    assert!(history.iter().any(issued), "{history:?}");
}

fn seats_of(snapshot: &Snapshot) -> Vec<(SeatIndex, SeatState)> {
    let mut seats = snapshot.seats.clone();
    seats.sort_by_key(|(seat, _)| *seat);
    seats
}

fn status_of(snapshot: &Snapshot, who: &str, key: &str) -> HoldStatus {
    let id = hold_of(who, key);
    snapshot.holds.iter().find(|hold| hold.id == id).expect("a remembered hold").status
}
