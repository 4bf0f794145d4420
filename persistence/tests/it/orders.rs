use std::time::Duration;

use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::{HoldId, OrderId, TicketId};
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempts, Refunds, Step};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::orders::{
    Item, OrderFilter, OrderRecord, Orders, PublicStatus, TicketStatus,
};
use taquilla_persistence::refunds::PostgresRefunds;

use crate::box_office::{BoxOffice, PRICE, buyer};

#[tokio::test]
async fn an_order_says_what_is_bought_and_for_how_much() {
    let office = BoxOffice::open("order").await;
    let hold = office.hold("ana", &[4, 1]).await;
    let order = read(&office, office.order(hold).await).await;

    assert_eq!((order.hold, order.event, order.buyer.as_str()), (hold, office.event, "ana"));
    assert_eq!(order.status, PublicStatus::PendingPayment);
    let seat = |label: &str| Item::Seat {
        label: label.into(),
        section: "A".into(),
        tier: "Seated".into(),
        unit_price: euros(PRICE),
    };
    assert_eq!(order.bill.items, [seat("A-1-5"), seat("A-1-2")], "in the order asked for");
    let fees: Vec<(&str, Money)> =
        order.bill.fees.iter().map(|fee| (fee.name.as_str(), fee.amount)).collect();
    assert_eq!(fees, [("service", euros(200))]);
    assert_eq!(order.bill.total, euros(2 * PRICE + 200));
    assert!(order.created_at <= order.as_of && order.as_of < order.pay_before);
    assert!(order.attempts.is_empty() && order.tickets.is_empty());
}

#[tokio::test]
async fn places_of_a_general_section_are_one_item() {
    let office = BoxOffice::open("order_places").await;
    let order = read(&office, office.order(office.hold("ana", &[]).await).await).await;
    let item = Item::Places { section: "FLOOR".into(), quantity: 2, unit_price: euros(PRICE) };
    assert_eq!(item.amount(), euros(2 * PRICE));
    assert_eq!(order.bill.items, [item]);
}

#[tokio::test]
async fn an_order_is_its_buyers_alone() {
    let office = BoxOffice::open("order_own").await;
    let hold = office.hold("ana", &[0]).await;
    let order = office.order(hold).await;
    let orders = Orders::new(office.database.clone());
    assert_eq!(orders.order(order, &buyer("bob")).await.expect("a read"), None);
    assert_eq!(orders.hold(hold, &buyer("bob")).await.expect("a read"), None);
}

#[tokio::test]
async fn an_orders_status_follows_its_hold_and_its_attempts() {
    let office = BoxOffice::open("order_status").await;
    let attempts = office.attempts();
    let hold = office.hold("ana", &[0]).await;
    let order = office.order(hold).await;
    let attempt = office.authorize("ana", order, "k1").await;
    assert_eq!(status(&office, order).await, PublicStatus::Authorizing);
    office.convert(hold, 1).await;
    office.decide(attempt.id, "confirmed").await;
    assert_eq!(status(&office, order).await, PublicStatus::Confirmed);
    attempts.step(attempt.id, &Step::Captured).await.expect("the store is there");
    assert_eq!(status(&office, order).await, PublicStatus::Captured);

    let late = office.hold("ana", &[1]).await;
    let order = office.order(late).await;
    let attempt = office.authorize("ana", order, "k2").await;
    office.let_time_pass(late).await;
    assert_eq!(status(&office, order).await, PublicStatus::Authorizing);
    office.expire(late).await;
    office.decide(attempt.id, "void_due").await;
    assert_eq!(status(&office, order).await, PublicStatus::Authorizing);
    attempts.step(attempt.id, &Step::Voided).await.expect("the store is there");
    assert_eq!(status(&office, order).await, PublicStatus::Voided);

    let unpaid = office.hold("ana", &[2]).await;
    let order = office.order(unpaid).await;
    office.let_time_pass(unpaid).await;
    assert_eq!(status(&office, order).await, PublicStatus::Expired, "nobody has written it");
    let given_up = office.hold("ana", &[3]).await;
    let order = office.order(given_up).await;
    office.release(given_up).await;
    assert_eq!(status(&office, order).await, PublicStatus::Cancelled);
}

#[tokio::test]
async fn a_free_order_is_captured_as_soon_as_it_is_confirmed() {
    let office = BoxOffice::open("order_free").await;
    let hold = office.hold_for("ana", &[0], 0, Duration::from_secs(600)).await;
    let order = office.order(hold).await;
    office.convert(hold, 1).await;
    assert_eq!(status(&office, order).await, PublicStatus::Captured);
}

#[tokio::test]
async fn a_confirmed_order_has_its_attempts_oldest_first_and_its_tickets_by_seat() {
    let office = BoxOffice::open("order_whole").await;
    let hold = office.hold("ana", &[5, 3]).await;
    let order = office.order(hold).await;
    let declined = office.new_attempt("ana", order, "k1");
    office.attempts().open(&declined).await.expect("the store is there");
    let no = taquilla_engine::payment::Failure { code: "no".into(), detail: "no".into() };
    office.attempts().step(declined.id, &Step::Declined(no)).await.expect("the store is there");
    let paid = office.authorize("ana", order, "k2").await;
    office.convert(hold, 2).await;
    office.decide(paid.id, "confirmed").await;

    let read = read(&office, order).await;

    let ids: Vec<_> = read.attempts.iter().map(|attempt| attempt.id).collect();
    assert_eq!(ids, [declined.id, paid.id]);
    let tickets: Vec<_> = read
        .tickets
        .iter()
        .map(|ticket| (ticket.id, ticket.seat.as_deref(), ticket.status))
        .collect();
    let valid = |place, seat| (TicketId::of(order, place), Some(seat), TicketStatus::Valid);
    assert_eq!(tickets, [valid(1, "A-1-4"), valid(0, "A-1-6")]);
}

#[tokio::test]
async fn pages_of_orders_follow_each_other_newest_first() {
    let office = BoxOffice::open("order_pages").await;
    let mut made = Vec::new();
    for seat in 0..4 {
        made.push(office.order(office.hold("ana", &[seat]).await).await);
    }
    office.order(office.hold("bob", &[7]).await).await;
    // Two of one instant stand in the order of their ids.
    office
        .call(
            "UPDATE orders SET created_at = date_trunc('year', created_at) WHERE order_id = ANY ($1)",
            &[&made[..2].iter().map(|order| order.uuid()).collect::<Vec<_>>()],
        )
        .await;
    let mut expected = vec![made[3], made[2]];
    expected.extend([made[0].min(made[1]), made[0].max(made[1])]);

    let (orders, ana) = (Orders::new(office.database.clone()), buyer("ana"));
    let (mut seen, mut position) = (Vec::new(), None);
    loop {
        let page = orders.list(&ana, None, position, 1).await.expect("a page");
        seen.extend(page.items.iter().map(|order| order.id));
        position = page.next;
        if position.is_none() {
            break;
        }
    }
    assert_eq!(seen, expected);
    let elsewhere = Some(taquilla_engine::id::EventNumber(office.event.event().0 + 1));
    let page = orders.list(&ana, elsewhere, None, 20).await.expect("a page");
    assert_eq!((page.items.len(), page.next), (0, None));
    let here = Some(office.event.event());
    assert_eq!(orders.list(&ana, here, None, 20).await.expect("a page").items.len(), 4);
}

#[tokio::test]
async fn a_hold_is_what_its_row_says_and_the_clock() {
    let office = BoxOffice::open("hold").await;
    let (orders, ana) = (Orders::new(office.database.clone()), buyer("ana"));
    let hold = office.hold("ana", &[0]).await;
    let read = async || orders.hold(hold, &ana).await.expect("a read").expect("a hold");

    let before = read().await;
    assert_eq!((before.status, before.order), (HoldStatus::Active, None));
    assert_eq!((before.id, before.event, before.bill.items.len()), (hold, office.event, 1));

    let order = office.order(hold).await;
    office.let_time_pass(hold).await;
    let after = read().await;
    assert_eq!((after.status, after.order), (HoldStatus::Expired, Some(order)));
    assert!(after.expires_at < after.as_of);
}

/// Each takes something away that the bill names.
const MISSING: [(&str, &str); 6] = [
    ("seats: ", "DELETE FROM plan_seats WHERE seat_index = 4"),
    ("seats: ", "DELETE FROM event_section_tiers WHERE section_no = 0"),
    ("fees: ", "DELETE FROM event_fees"),
    ("quantities: ", "UPDATE hold_places SET section_no = 9"),
    ("unit_prices: ", "UPDATE hold_places SET quantity = 1"),
    ("unit_prices: ", "UPDATE hold_places SET quantity = 3"),
];

#[tokio::test]
async fn a_bill_that_names_less_than_was_taken_is_a_broken_row_and_not_a_shorter_bill() {
    for (column, damage) in MISSING {
        let office = BoxOffice::open("order_broken").await;
        let seats = office.order(office.hold("ana", &[4, 1]).await).await;
        let places = office.order(office.hold("ana", &[]).await).await;
        office.call(damage, &[]).await;
        let orders = Orders::new(office.database.clone());
        let (seats, places) =
            (orders.order(seats, &buyer("ana")).await, orders.order(places, &buyer("ana")).await);
        let found = [seats, places].into_iter().find_map(Result::err);
        let Some(DatabaseError::Broken(row)) = found else { panic!("{damage}: {found:?}") };
        assert!(row.to_string().contains(column), "{damage}: {row}");
    }
}

#[tokio::test]
async fn what_was_declined_and_is_not_there_any_more_is_a_broken_row() {
    let remarks = |list: &str| format!("UPDATE holds SET remarks = '{{\"{list}\": [[9, 1]]}}'");
    for damage in [
        "UPDATE holds SET remarks = '{\"declined_seats\": [4, 99]}'".to_owned(),
        remarks("declined_places"),
    ] {
        let office = BoxOffice::open("declined_broken").await;
        let hold = office.hold("ana", &[0]).await;
        office.call(&damage, &[]).await;
        let read = Orders::new(office.database.clone()).hold(hold, &buyer("ana")).await;
        assert!(matches!(read, Err(DatabaseError::Broken(_))), "{damage}: {read:?}");
    }
}

/// A page looks at so many rows; what is farther down stands on the next.
#[tokio::test]
async fn a_page_of_a_rare_status_may_be_empty_and_not_the_last() {
    let office = BoxOffice::open("order_rare").await;
    let rare = office.hold("ana", &[0]).await;
    let order = office.order(rare).await;
    office.release(rare).await;
    let event = office.event.event();
    let crowd = (0..600).map(|n| HoldId::derive(event, &buyer("bob"), &n.to_string()));
    let crowd: Vec<HoldId> = crowd.collect();
    let holds: Vec<_> = crowd.iter().map(|hold| hold.uuid()).collect();
    let orders: Vec<_> = crowd.iter().map(|hold| OrderId::of(*hold).uuid()).collect();
    office
        .call(
            "WITH placed AS (INSERT INTO holds \
                SELECT id, $1, 'bob', sha256(''), '{0}', 1, '{0}', '{0}', 0, now(), now(), 2, now() \
                  FROM unnest($2::uuid[]) id) \
             INSERT INTO orders SELECT id, hold, $1, 'bob', 3, 0, clock_timestamp(), now() \
               FROM unnest($3::uuid[], $2::uuid[]) AS made (id, hold)",
            &[&event.0, &holds, &orders],
        )
        .await;

    let listed = Orders::new(office.database.clone());
    let cancelled = OrderFilter { status: Some(PublicStatus::Cancelled), ..OrderFilter::default() };
    let first = listed.list_all(&cancelled, None, 20).await.expect("a page");
    assert_eq!(first.items, []);
    let next = first.next.expect("more to look at");
    let second = listed.list_all(&cancelled, Some(next), 20).await.expect("a page");
    let ids: Vec<OrderId> = second.items.iter().map(|order| order.id).collect();
    assert_eq!((ids, second.next), (vec![order], None));

    // A page that is full in the middle of what it looked at goes on right there.
    let expired = OrderFilter { status: Some(PublicStatus::Expired), ..OrderFilter::default() };
    let (mut seen, mut position) = (0, None);
    loop {
        let page = listed.list_all(&expired, position, 100).await.expect("a page");
        seen += page.items.len();
        position = page.next;
        if position.is_none() {
            break;
        }
    }
    assert_eq!(seen, 600, "each once");
}

#[tokio::test]
async fn an_order_that_was_given_back_stays_so_when_the_money_comes_back_to_us() {
    let office = BoxOffice::open("orders_came_back").await;
    let refunds = PostgresRefunds::new(office.database.clone());
    let failed = async |order| {
        for paid in refunds.of_order(order).await.expect("rows").paid {
            let again_after = Duration::from_secs(3_600);
            assert!(refunds.failed(&paid, again_after).await.expect("rows"));
        }
    };
    let whole = office.sell("ana", 0).await;
    let refund = office.take_back(whole, 1).await;
    refunds.settle(refund, 0, office.owed(refund).await).await.expect("rows");
    assert_eq!(status(&office, whole).await, PublicStatus::Refunded);
    failed(whole).await;
    let read = read(&office, whole).await;
    assert_eq!((read.status, read.refunded), (PublicStatus::Refunded, None));

    // Of what was given back in part, the rest may be given back yet.
    let hold = office.hold("ana", &[1, 2]).await;
    let part = office.order(hold).await;
    let attempt = office.authorize("ana", part, "k1").await;
    office.convert(hold, 2).await;
    office.decide(attempt.id, "confirmed").await;
    office.attempts().step(attempt.id, &Step::Captured).await.expect("rows");
    let refund = office.take_back(part, 1).await;
    refunds.settle(refund, 0, office.owed(refund).await).await.expect("rows");
    failed(part).await;
    let void = "UPDATE tickets SET status = 1 WHERE order_id = $1";
    office.call(void, &[&part.uuid()]).await;
    assert_eq!(
        status(&office, part).await,
        PublicStatus::Captured,
        "it is owed, and was not shown"
    );

    // What was taken unasked, once the hold was over.
    let hold = office.hold("ana", &[3]).await;
    let order = office.order(hold).await;
    let new = office.new_attempt("ana", order, "k2");
    office.attempts().open(&new).await.expect("rows");
    office.expire(hold).await;
    let taken = Step::Taken { reference: "ref".into(), taken: price(&office, order).await };
    let failed = Step::RefundFailed { errors: 0, again_after: Duration::ZERO };
    for (step, expected) in [
        (taken, PublicStatus::Authorizing),
        (Step::Refunded { errors: 0 }, PublicStatus::Refunded),
        (failed, PublicStatus::Refunded),
        (Step::Refunded { errors: 1 }, PublicStatus::Refunded),
    ] {
        office.attempts().step(new.id, &step).await.expect("rows");
        assert_eq!(status(&office, order).await, expected, "{step:?}");
    }
}

/// What the order costs.
async fn price(office: &BoxOffice, order: OrderId) -> Money {
    read(office, order).await.bill.total
}

async fn read(office: &BoxOffice, order: OrderId) -> OrderRecord {
    let orders = Orders::new(office.database.clone());
    orders.order(order, &buyer("ana")).await.expect("a read").expect("an order")
}

async fn status(office: &BoxOffice, order: OrderId) -> PublicStatus {
    read(office, order).await.status
}

fn euros(amount: i64) -> Money {
    Money { amount, currency: Currency::parse("EUR").expect("three letters") }
}
