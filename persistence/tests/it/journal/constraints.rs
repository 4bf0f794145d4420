//! The rules that the database states again: a batch that breaks one is refused by its name, and
//! holds whose keys were forgotten are named.

use taquilla_engine::event::{Fact, Places, Receipt, ReceiptResult, Snapshot, Ticket};
use taquilla_engine::hold::{Claim, Hold, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId, ReceiptId, SeatIndex, TicketId};
use taquilla_engine::journal::AppendError;
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::pricing::Quote;

use super::box_office::{BoxOffice, EVENT, FLOOR, FREE, a_hold, hold_of};
use super::owner::{Owner, buyer, order, place_seats, release};

/// Ann has bought seat 20, Bob holds seat 1 with an order, Cid gave seat 2 back.
async fn sold_and_held(name: &str) -> (BoxOffice, Snapshot) {
    let office = BoxOffice::open(name).await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "k", &[20]));
    owner.ask(order("ann", "o", hold_of("ann", "k")));
    owner.ask(place_seats("bob", "k", &[1]));
    owner.ask(order("bob", "o", hold_of("bob", "k")));
    owner.ask(place_seats("cid", "k", &[2]));
    owner.ask(release("cid", hold_of("cid", "k")));
    owner.commit(&office).await;
    let snapshot = office.take_over().await;
    (office, snapshot)
}

fn new_hold(key: &str) -> Hold {
    a_hold("dan", key)
}

fn new_order(id: OrderId, hold: HoldId) -> Order {
    let (buyer, status) = (buyer("bob"), OrderStatus::Open);
    Order {
        id,
        hold,
        buyer,
        status,
        total: 1,
        created_at: Moment(0),
        verdicts: vec![],
        refunds: vec![],
    }
}

fn a_ticket(order: OrderId, place: u32, seat: u32) -> Fact {
    let (id, seat) = (TicketId::of(order, place), Some(SeatIndex(seat)));
    Fact::TicketIssued(Ticket { id, order, section: FREE, seat })
}

#[tokio::test]
async fn a_batch_that_breaks_a_rule_is_refused_by_the_rules_name() {
    let (office, owner) = sold_and_held("rules").await;
    let (anns, bobs) = (OrderId::of(hold_of("ann", "k")), OrderId::of(hold_of("bob", "k")));
    let (first, second) = (attempt("1"), attempt("2"));
    office.authorize(first.uuid(), bobs.uuid()).await;
    let confirmed = "UPDATE payment_attempts SET status = 'confirmed'";
    office.client.execute(confirmed, &[]).await.expect("an attempt");
    office.authorize(second.uuid(), bobs.uuid()).await;

    let fresh = OrderId::of(hold_of("dan", "k"));
    let places = |held, sold| Fact::Places {
        section: FLOOR,
        was: Places::default(),
        becomes: Places { held, sold },
    };
    let odd_lists = Hold { unit_prices: vec![1], ..new_hold("k") };
    let nothing = Hold { claim: Claim::default(), unit_prices: vec![], ..new_hold("k") };
    let cheap = Hold { quote: Quote { fees: vec![], total: -1 }, ..new_hold("k") };
    let count = Fact::Buyer { buyer: buyer("dan"), was: 0, becomes: 7 };
    let cases = [
        ("general_areas_within_capacity", vec![places(5, 4)]),
        ("buyers_within_limit", vec![count]),
        ("holds_prices_agree_with_quantity", vec![Fact::HoldPlaced(odd_lists)]),
        ("holds_quantity_positive", vec![Fact::HoldPlaced(nothing)]),
        ("holds_total_not_negative", vec![Fact::HoldPlaced(cheap)]),
        ("orders_one_a_hold", vec![Fact::OrderPlaced(new_order(fresh, hold_of("bob", "k")))]),
        ("orders_pkey", vec![Fact::OrderPlaced(new_order(bobs, hold_of("dan", "k")))]),
        ("tickets_one_valid_a_seat", vec![a_ticket(bobs, 0, 20)]),
        ("tickets_pkey", vec![a_ticket(anns, 0, 21)]),
        (
            "payment_attempts_one_sale_an_order",
            vec![Fact::AttemptDecided {
                attempt: second,
                order: bobs,
                verdict: Verdict::Confirmed,
            }],
        ),
    ];
    for (rule, broken) in cases {
        let before = office.rows().await;
        // Something that makes it more than a check of the head.
        let truth = Fact::HoldPlaced(new_hold("truth"));
        let batch = office.batch(&owner, [vec![truth], broken].concat());
        assert_eq!(office.append(&batch).await, Err(AppendError::Refused(rule.into())));
        assert_eq!(office.rows().await, before, "{rule}");
    }
}

#[tokio::test]
async fn a_key_cannot_have_two_results() {
    let (office, owner) = sold_and_held("receipts").await;
    let id = ReceiptId::derive(EVENT, "orders", &buyer("ann"), "o");
    let (result, at) = (ReceiptResult::HoldNotActive(HoldStatus::Expired), owner.decided_at);
    let receipt = Receipt { id, fingerprint: [7; 32], result, at };
    let batch = office.batch(&owner, vec![Fact::Remembered(receipt)]);
    let Err(AppendError::Refused(why)) = office.append(&batch).await else {
        panic!("a young key has its result");
    };
    assert!(why.contains("receipts"), "{why}");

    let aged = "UPDATE receipts SET created_at = created_at - interval '25 hours'";
    office.client.execute(aged, &[]).await.expect("receipts");
    assert_eq!(office.append(&batch).await, Ok(()), "an old one may be decided anew");
}

/// What no batch can even say.
#[tokio::test]
async fn rows_that_no_batch_can_say_are_refused_all_the_same() {
    let (office, _) = sold_and_held("raw_rules").await;
    let bobs = OrderId::of(hold_of("bob", "k")).uuid();
    office.authorize(attempt("1").uuid(), bobs).await;
    let again = "INSERT INTO payment_attempts (attempt_id, order_id, event_no, buyer, fingerprint, \
            method, provider, amount, currency, status) \
        SELECT gen_random_uuid(), order_id, event_no, buyer, fingerprint, method, provider, amount, \
            currency, 'pending' FROM payment_attempts";
    let cases = [
        ("seats_state_agrees_with_owner", "UPDATE seats SET hold_id = NULL WHERE state = 1"),
        ("seats_state_known", "UPDATE seats SET state = 4"),
        ("buyers_seats_not_negative", "UPDATE buyers SET seats = -1"),
        ("general_areas_held_not_negative", "UPDATE general_areas SET held = -1"),
        ("general_areas_sold_not_negative", "UPDATE general_areas SET sold = -1"),
        ("payment_attempts_one_open_an_order", again),
    ];
    for (rule, sql) in cases {
        let error = office.client.execute(sql, &[]).await.expect_err(rule);
        let refusal = error.as_db_error().expect("the server's word");
        assert_eq!(refusal.constraint(), Some(rule));
    }
}

#[tokio::test]
async fn holds_whose_keys_were_forgotten_are_named_and_nothing_is_written() {
    let (office, owner) = sold_and_held("known").await;
    let (cids, anns) = (hold_of("cid", "k"), hold_of("ann", "k"));
    let known = [cids, anns].map(|id| Fact::HoldPlaced(Hold { id, ..new_hold("k") }));
    let new = Fact::HoldPlaced(new_hold("new"));
    let before = office.rows().await;
    let batch = office.batch(&owner, [vec![new], known.to_vec()].concat());
    let Err(AppendError::KnownHolds(mut named)) = office.append(&batch).await else {
        panic!("two of the holds exist")
    };
    named.sort();
    let mut expected = vec![cids, anns];
    expected.sort();
    assert_eq!(named, expected);
    assert_eq!(office.rows().await, before);
}

#[tokio::test]
async fn a_limit_lowered_since_keeps_nobody_from_giving_seats_back() {
    let office = BoxOffice::open("lowered").await;
    let mut owner = Owner::start(&office).await;
    owner.ask(place_seats("ann", "1", &[1, 2]));
    owner.ask(place_seats("ann", "2", &[3, 4]));
    owner.commit(&office).await;
    let lower = "UPDATE events SET buyer_seats_max = 1";
    office.client.execute(lower, &[]).await.expect("one event");
    owner.ask(release("ann", hold_of("ann", "1")));
    owner.commit(&office).await;
    assert_eq!(office.take_over().await.buyers, [(buyer("ann"), 2)]);
}

fn attempt(key: &str) -> AttemptId {
    AttemptId::derive(EVENT, &buyer("bob"), key)
}
