//! Stories from rows: all that belongs to them, in order, and nothing else.

mod beside;
mod stage;

use taquilla_engine::command::{Command, Wish};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::{AttemptId, EventNumber, OrderId};
use taquilla_persistence::codec::{HoldEnding, OrderState, Taken};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::story::{Subject, What};

use self::stage::{Stage, seat, told};
use super::box_office::{EVENT, HOLD_TTL, hold_of, seats};
use super::owner::{buyer, keyed, order, place, place_seats, release};
use super::returns::{asked, back};

#[tokio::test]
async fn a_seats_story_tells_of_every_hold_that_ever_had_it_and_of_what_came_of_these() {
    let stage = Stage::of_seat_four("story_seat").await;
    let story = stage.story(&seat(4)).await;
    let expected = [
        "ann HoldPlaced",
        "ann HoldReduced",
        "ann HoldEnded",
        "bob HoldPlaced",
        "bob OrderPlaced",
        "clock HoldEnded",
        "clock OrderEnded",
        "cid HoldPlaced",
        "cid OrderPlaced",
        "cid HoldEnded",
        "cid OrderEnded",
        "cid TicketIssued",
        "cid AttemptDecided",
        "bob AttemptOpened",
        "bob AttemptDecided",
        "cid AttemptOpened",
    ];
    assert_eq!(told(&story), expected);
    let cids = hold_of("cid", "k");
    let taken = Taken { seats: vec![4], places: vec![] };
    assert!(matches!(&story[7].what,
        What::HoldPlaced { hold, taken: it, .. } if *hold == cids.uuid() && *it == taken));
    assert!(matches!(story[5].what, What::HoldEnded { ending: HoldEnding::Expired, .. }));
    assert!(matches!(story[10].what, What::OrderEnded { status: OrderState::Confirmed, .. }));
    assert_eq!(story[11].position.at, story[10].position.at, "issued with the sale");
    assert!(matches!(story[12].what, What::AttemptDecided { confirmed: true, .. }));
    assert!(matches!(story[14].what, What::AttemptDecided { confirmed: false, .. }));
}

#[tokio::test]
async fn holds_orders_and_buyers_have_stories_of_their_own() {
    let stage = Stage::of_seat_four("story_others").await;
    let cids = hold_of("cid", "k");
    let of_hold = stage.story(&Subject::Hold(cids)).await;
    let expected = [
        "cid HoldPlaced",
        "cid OrderPlaced",
        "cid HoldEnded",
        "cid OrderEnded",
        "cid TicketIssued",
        "cid AttemptDecided",
        "cid AttemptOpened",
    ];
    assert_eq!(told(&of_hold), expected);
    assert_eq!(stage.story(&Subject::Order(OrderId::of(cids))).await, of_hold);
    let of_buyer = stage.story(&Subject::Buyer(buyer("cid"))).await;
    assert_eq!(of_buyer, of_hold, "he had no other");
    let of_another = stage.story(&Subject::Buyer(buyer("eve"))).await;
    assert_eq!(told(&of_another), ["eve HoldPlaced", "clock HoldEnded"]);
}

#[tokio::test]
async fn what_the_event_does_not_have_has_no_story() {
    let stage = Stage::of_seat_four("story_nobody").await;
    let stranger = hold_of("nobody", "k");
    for subject in [
        Subject::Buyer(buyer("nobody")),
        Subject::Hold(stranger),
        Subject::Order(OrderId::of(stranger)),
        Subject::Order(OrderId::of(hold_of("ann", "k"))),
    ] {
        assert_eq!(stage.tell(&subject, None, 100).await, None, "{subject:?}");
    }
    let anns = Subject::Hold(hold_of("ann", "k"));
    assert_eq!(stage.stories.tell(EventNumber(2), &anns, None, 100).await.expect("rows"), None);
    assert_eq!(stage.story(&seat(29)).await, [], "a seat that nobody ever wanted");
}

#[tokio::test]
async fn a_seat_that_came_back_has_that_in_its_story_and_in_its_orders() {
    let mut stage = Stage::open("story_returned").await;
    let hold = hold_of("ann", "k");
    stage.ask_each([
        place_seats("ann", "k", &[20, 21]),
        order("ann", "o", hold),
        back(asked("ann", hold, "one", Some(&[1]))),
        place_seats("bob", "k", &[21]),
    ]);
    stage.owner.commit(&stage.office).await;
    let expected = ["ann HoldPlaced", "ann OrderPlaced", "ann TicketIssued", "ann TicketIssued"];
    let story = told(&stage.story(&seat(21)).await);
    assert!(expected.iter().all(|it| story.contains(&(*it).to_owned())), "{story:?}");
    assert!(story.contains(&"olga TicketsReturned".to_owned()), "{story:?}");
    assert_eq!(story.last().map(String::as_str), Some("bob HoldPlaced"));
    let of_order = stage.story(&Subject::Order(OrderId::of(hold))).await;
    let returned = of_order.iter().find_map(|entry| match &entry.what {
        What::TicketsReturned { tickets, given_back, amount, .. } => {
            Some((tickets.len(), given_back.seats.clone(), *amount))
        }
        _ => None,
    });
    assert_eq!(returned, Some((1, vec![21], 0)));
}

#[tokio::test]
async fn a_long_story_is_told_in_parts() {
    let stage = Stage::of_seat_four("story_parts").await;
    let whole = stage.story(&seat(4)).await;
    for limit in [1, 3, 16, 17] {
        let (mut parts, mut after) = (Vec::new(), None);
        loop {
            let page = stage.tell(&seat(4), after, limit).await.expect("a story");
            assert!(page.items.len() <= usize::from(limit));
            parts.extend(page.items);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(parts, whole, "in parts of {limit}");
    }
}

#[tokio::test]
async fn batches_of_an_old_version_are_told_and_any_number_of_others_is_passed_over() {
    let stage = Stage::open("story_old").await;
    let others = "INSERT INTO outbox SELECT 1, n, '\\x0200' FROM generate_series(1, 2500) AS n";
    stage.office.client.execute(others, &[]).await.expect("batches of nothing");
    // Version 1, one record: a hold of ann's, of seat 4 in section 0, for 10, from 0 to 1.
    let hold = hold_of("ann", "k").uuid();
    let body = [&[1, 1, 0], hold.as_bytes().as_slice(), &[3], b"ann", &[0, 0, 1, 4, 20, 0, 2]];
    let insert = "INSERT INTO outbox VALUES (1, 2501, $1)";
    stage.office.client.execute(insert, &[&body.concat()]).await.expect("a batch");
    assert_eq!(told(&stage.story(&seat(4)).await), ["ann HoldPlaced"]);

    let newer = "INSERT INTO outbox VALUES (1, 2502, '\\xff00')";
    stage.office.client.execute(newer, &[]).await.expect("a batch");
    let broken = stage.stories.tell(EVENT, &seat(4), None, 100).await;
    assert!(matches!(broken, Err(DatabaseError::Broken(_))), "{broken:?}");
}

#[tokio::test]
async fn a_seat_that_a_hold_did_without_is_in_both_stories() {
    let mut stage = Stage::open("story_declined").await;
    stage.owner.ask(place_seats("ann", "k", &[3]));
    let claim = Claim::of_seats(seats(&[3, 4]));
    stage.owner.ask(Command::PlaceHold {
        buyer: buyer("bob"),
        keyed: keyed("k"),
        wish: Wish::Claim { claim, accept_fewer: true },
        admission: None,
    });
    stage.owner.commit(&stage.office).await;
    assert_eq!(told(&stage.story(&seat(3)).await), ["ann HoldPlaced", "bob SeatsDeclined"]);
    let of_bob = stage.story(&Subject::Buyer(buyer("bob"))).await;
    assert_eq!(told(&of_bob), ["bob HoldPlaced", "bob SeatsDeclined"]);
    let declined = Taken { seats: vec![3], places: vec![] };
    assert!(matches!(&of_bob[1].what, What::SeatsDeclined { declined: it, .. } if *it == declined));
}

#[tokio::test]
async fn an_order_with_nothing_to_pay_is_sold_in_one_instant() {
    let mut stage = Stage::open("story_free").await;
    stage.owner.ask(place_seats("ann", "k", &[20, 21]));
    stage.owner.ask(order("ann", "o", hold_of("ann", "k")));
    stage.owner.commit(&stage.office).await;
    let story = stage.story(&seat(20)).await;
    let mut kinds = told(&story);
    kinds.sort();
    let expected = [
        "ann HoldEnded",
        "ann HoldPlaced",
        "ann OrderPlaced",
        "ann TicketIssued",
        "ann TicketIssued",
    ];
    assert_eq!(kinds, expected);
    assert!(story.iter().all(|entry| entry.position.at == story[0].position.at));
}

impl Stage {
    /// Seat 4 is ann's, who gives it back; bob's, whose hold ends before his money comes; cid's for good.
    async fn of_seat_four(name: &str) -> Stage {
        let mut stage = Stage::open(name).await;
        let anns = hold_of("ann", "k");
        stage.ask_each([
            place_seats("ann", "k", &[3, 4]),
            Command::GiveBack { buyer: buyer("ann"), hold: anns, part: Ok(claim(&[4])) },
            release("ann", anns),
            place("eve", "k", claim(&[7, 8])),
            place_seats("bob", "k", &[4, 5]),
            order("bob", "o", hold_of("bob", "k")),
        ]);
        stage.owner.commit(&stage.office).await;
        stage.owner.pass(HOLD_TTL);
        stage.owner.tick();
        stage.owner.commit(&stage.office).await;
        stage.confirm("bob").await;
        stage.ask_each([place_seats("cid", "k", &[4]), order("cid", "o", hold_of("cid", "k"))]);
        stage.owner.commit(&stage.office).await;
        stage.confirm("cid").await;
        stage
    }

    /// The buyer's money is there: the event decides.
    async fn confirm(&mut self, name: &str) {
        let order = OrderId::of(hold_of(name, "k"));
        let attempt = AttemptId::derive(EVENT, &buyer(name), "pay");
        self.office.authorize(attempt.uuid(), order.uuid()).await;
        self.owner.ask(Command::ConfirmOrder { order, attempt });
        self.owner.commit(&self.office).await;
    }

    /// Each a moment after the one before.
    fn ask_each(&mut self, commands: impl IntoIterator<Item = Command>) {
        for command in commands {
            self.owner.pass(std::time::Duration::from_millis(1));
            self.owner.ask(command);
        }
    }
}

fn claim(at: &[u32]) -> Claim {
    Claim::of_seats(seats(at))
}
