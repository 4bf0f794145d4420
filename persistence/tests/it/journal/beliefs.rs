//! Memory believes something that the rows do not say: Postgres refuses, and nothing is left of it.

use taquilla_engine::event::{Batch, Fact, Places, Snapshot};
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::id::{AttemptId, OrderId, SeatIndex};
use taquilla_engine::journal::AppendError;
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::section::SeatState;

use super::box_office::{BoxOffice, EVENT, FLOOR, hold_of};
use super::owner::{Owner, buyer, order, place, place_seats, release};

/// Ann holds seats 1 and 2 with an order, and three places; Bob has given seat 3 back.
async fn some_holds(name: &str) -> (BoxOffice, Snapshot) {
    let office = BoxOffice::open(name).await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[1, 2]));
    owner.ask(order("ann", "o", hold_of("ann", "k")));
    owner.ask(place("ann", "f", Claim::of_places(FLOOR, 3)));
    owner.ask(place_seats("bob", "k", &[3]));
    owner.commit(&office).await;
    owner.ask(release("bob", hold_of("bob", "k")));
    owner.commit(&office).await;
    let snapshot = office.take_over().await;
    (office, snapshot)
}

async fn is_refused(name: &str, lies: Vec<Fact>, says: &str) {
    let (office, owner) = some_holds(name).await;
    // A truth beside the lie must go with it.
    let at = owner.decided_at;
    let seat = Fact::Seat {
        seat: SeatIndex(9),
        was: SeatState::Available,
        becomes: SeatState::Held(hold_of("cid", "k")),
    };
    let truth = Fact::HoldEnded { hold: hold_of("ann", "f"), status: HoldStatus::Released, at };
    let before = office.rows().await;
    let batch: Batch = office.batch(&owner, [vec![seat, truth], lies].concat());
    assert_eq!(office.append(&batch).await, Err(AppendError::Refused(says.into())));
    assert_eq!(office.rows().await, before);
}

#[tokio::test]
async fn a_seat_believed_available_is_held() {
    let seat = Fact::Seat {
        seat: SeatIndex(1),
        was: SeatState::Available,
        becomes: SeatState::Held(hold_of("bob", "2")),
    };
    is_refused("seat_held", vec![seat], "seats: 1 of 2 rows were as believed").await;
}

#[tokio::test]
async fn a_seat_is_held_by_another_hold_than_believed() {
    let seat = Fact::Seat {
        seat: SeatIndex(1),
        was: SeatState::Held(hold_of("bob", "k")),
        becomes: SeatState::Available,
    };
    is_refused("seat_other", vec![seat], "seats: 1 of 2 rows were as believed").await;
}

#[tokio::test]
async fn a_seat_does_not_exist() {
    let seat =
        Fact::Seat { seat: SeatIndex(30), was: SeatState::Available, becomes: SeatState::Blocked };
    is_refused("seat_none", vec![seat], "seats: 1 of 2 rows were as believed").await;
}

#[tokio::test]
async fn places_are_held_that_were_believed_free() {
    let (was, becomes) = (Places::default(), Places { held: 1, sold: 0 });
    let places = Fact::Places { section: FLOOR, was, becomes };
    is_refused("places", vec![places], "general_areas: 0 of 1 rows were as believed").await;
}

#[tokio::test]
async fn a_buyer_has_more_seats_than_believed() {
    let count = Fact::Buyer { buyer: buyer("ann"), was: 2, becomes: 3 };
    is_refused("buyer_more", vec![count], "buyers: 0 of 1 rows were as believed").await;
}

#[tokio::test]
async fn a_buyer_believed_to_have_seats_is_unknown() {
    let count = Fact::Buyer { buyer: buyer("cid"), was: 1, becomes: 2 };
    is_refused("buyer_none", vec![count], "buyers: 0 of 1 rows were as believed").await;
}

#[tokio::test]
async fn a_hold_believed_active_has_ended() {
    let (hold, status) = (hold_of("bob", "k"), HoldStatus::Expired);
    let end = Fact::HoldEnded { hold, status, at: Moment(0) };
    is_refused("hold_ended", vec![end], "holds: 1 of 2 rows were as believed").await;
}

#[tokio::test]
async fn an_order_believed_open_is_not_there() {
    let order = OrderId::of(hold_of("bob", "k"));
    let end = Fact::OrderEnded { order, status: OrderStatus::Expired, at: Moment(0) };
    is_refused("order_none", vec![end], "orders: 0 of 1 rows were as believed").await;
}

#[tokio::test]
async fn an_attempt_that_is_to_be_decided_is_not_authorized() {
    let order = OrderId::of(hold_of("ann", "k"));
    let attempt = AttemptId::derive(EVENT, &buyer("ann"), "p");
    let decided = Fact::AttemptDecided { attempt, order, verdict: Verdict::Confirmed };
    is_refused("attempt", vec![decided], "payment_attempts: 0 of 1 rows were as believed").await;
}

#[tokio::test]
async fn a_buyer_whose_seats_are_all_given_back_starts_again_from_nothing() {
    let (office, owner) = some_holds("buyer_again").await;
    let count = Fact::Buyer { buyer: buyer("bob"), was: 0, becomes: 2 };
    let (hold, status) = (hold_of("ann", "f"), HoldStatus::Released);
    let end = Fact::HoldEnded { hold, status, at: owner.decided_at };
    office.append(&office.batch(&owner, vec![count, end])).await.expect("bob's row says zero");
    let bobs = "SELECT seats::bigint FROM buyers WHERE buyer = 'bob'";
    assert_eq!(office.count(bobs).await, 2);
}
