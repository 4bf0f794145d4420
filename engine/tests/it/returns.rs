//! Sold tickets that come back: what is owed for them, who may have the seats then, and every refusal.

use std::time::Duration;

use taquilla_engine::answer::{Outcome, Unanswered};
use taquilla_engine::command::Command;
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::{AttemptId, HoldId, OrderId, RefundId, TicketId};
use taquilla_engine::order::OrderStatus;
use taquilla_engine::refund::{Cause, SoldOrder, TicketReturn};
use taquilla_engine::refusal::Refusal;

use crate::desk::{Desk, EVENT, buyer, keyed, place, place_order, terms};
use crate::script::check;

#[test]
fn a_seat_that_comes_back_is_sold_again_and_the_others_stay_sold() {
    check(
        "section A seats 3 price 1000
         sale limit 3 fee 50000 1
         0s ann place A1 A2 A3          -> hold h1 until 120s total 3153 fees 153
         0s ann order h1                -> new order of h1 open total 3153
         0s ann confirm h1 pay          -> confirmed
         1s olga return h1 A2           -> returned A2 of h1, 1051 owed
         1s bob place A1                -> refused seats-unavailable A1
         1s bob place A2                -> hold h2 until 121s total 1051 fees 51
         1s bob order h2                -> new order of h2 open total 1051
         1s bob confirm h2 pay          -> confirmed
         2s olga return h1 A2           -> refused refund-not-possible
         2s olga return h1 A1 A2        -> refused refund-not-possible
         2s cat place A2                -> refused seats-unavailable A2
         2s restart
         3s olga return h1 A2           -> refused refund-not-possible
         3s olga return h1              -> returned A1 A3 of h1, 2102 owed
         3s olga return h1              -> refused refund-not-possible
         3s ann place A1 A2             -> refused seats-unavailable A2
         3s cat place A1 A3             -> hold h3 until 123s total 2102 fees 102
         4s olga return h2              -> returned A2 of h2, 1051 owed",
    );
}

#[test]
fn what_comes_back_is_owed_to_the_unit_however_it_comes_back() {
    check(
        "section A seats 2 price 333
         section F places 5 price 100
         sale limit 5 fee 33333 1
         0s ann place A1 A2 F 3         -> hold h1 until 120s total 1002 fees 36
         0s ann order h1                -> new order of h1 open total 1002
         0s ann confirm h1 pay          -> confirmed
         1s olga return h1 F            -> returned F of h1, 104 owed
         1s olga return h1 A1 F         -> returned A1 F of h1, 449 owed
         1s olga return h1              -> returned A2 F of h1, 449 owed",
    );
}

#[test]
fn places_of_a_general_section_come_back_by_count() {
    check(
        "section F places 3
         0s ann place F 3               -> hold h1 until 120s total 3000
         0s ann order h1                -> new order of h1 open total 3000
         0s ann confirm h1 pay          -> confirmed
         0s bob place F 1               -> refused seats-unavailable F
         1s olga return h1 F F          -> returned F F of h1, 2000 owed
         1s restart
         1s bob place F 3               -> refused seats-unavailable F
         1s bob place F 2               -> hold h2 until 121s total 2000
         2s olga return h1              -> returned F of h1, 1000 owed
         2s bob place F 1               -> hold h3 until 122s total 1000",
    );
}

/// Case 2 of the reported faults.
#[test]
fn a_seat_that_came_back_counts_for_its_buyer_no_longer() {
    check(
        "section A seats 9
         section B seats 9
         sale limit 3
         0s ann place A1 A2 B1          -> hold h1 until 120s total 3000
         0s ann order h1                -> new order of h1 open total 3000
         0s ann confirm h1 pay          -> confirmed
         1s ann place B2                -> refused buyer-limit-exceeded 3 of 3
         1s olga return h1 A1 B1        -> returned A1 B1 of h1, 2000 owed
         1s ann place A3 B3 B4          -> refused buyer-limit-exceeded 1 of 3
         1s restart
         1s ann place A3 B3             -> hold h2 until 121s total 2000
         1s ann place B4                -> refused buyer-limit-exceeded 3 of 3
         2s olga return h1              -> returned A2 of h1, 1000 owed
         2s ann place A1                -> hold h3 until 122s total 1000",
    );
}

#[test]
fn only_a_confirmed_orders_own_tickets_come_back() {
    check(
        "section A seats 4
         0s ann place A1                -> hold h1 until 120s total 1000
         0s olga return h1              -> refused not-found
         0s ann order h1                -> new order of h1 open total 1000
         0s olga return h1              -> refused refund-not-possible
         0s olga return h1 nothing      -> refused malformed-request
         0s ann cancel h1               -> released
         0s olga return h1              -> refused refund-not-possible
         1s bob place A1                -> hold h2 until 121s total 1000
         1s bob order h2                -> new order of h2 open total 1000
         1s bob confirm h2 pay          -> confirmed
         1s olga return h2 A1 nothing   -> refused malformed-request
         1s olga return h9              -> refused not-found
         2s olga return h2 A1           -> returned A1 of h2, 1000 owed
         2s olga return h2 nothing      -> refused malformed-request
         2s bob cancel h2               -> refused order-not-cancellable
         2s bob confirm h2 pay          -> confirmed
         2s bob confirm h2 other        -> void due",
    );
}

#[test]
fn a_key_stands_for_its_first_refund_over_restarts_too() {
    check(
        "section A seats 2
         0s ann place A1 A2             -> hold h1 until 120s total 2000
         0s ann order h1                -> new order of h1 open total 2000
         0s ann confirm h1 pay          -> confirmed
         1s olga return h1 A1 key k     -> returned A1 of h1, 1000 owed
         2s olga return h1 A1 key k     -> again returned A1 of h1, 1000 owed
         2s olga return h1 A2 key k     -> refused idempotency-key-reused
         2s oleg return h1 A1 key k     -> refused refund-not-possible
         3s bob place A1                -> hold h2 until 123s total 1000
         3s bob order h2                -> new order of h2 open total 1000
         3s bob confirm h2 pay          -> confirmed
         3s olga return h2 key k        -> refused idempotency-key-reused
         3s restart
         4s olga return h1 A1 key k     -> again returned A1 of h1, 1000 owed
         4s olga return h2 key k        -> refused idempotency-key-reused",
    );
}

#[test]
fn what_was_never_taken_or_is_back_already_is_not_owed() {
    check(
        "section A seats 2
         0s ann place A1 A2                         -> hold h1 until 120s total 2000
         0s ann order h1                            -> new order of h1 open total 2000
         0s ann confirm h1 pay                      -> confirmed
         1s bank return h1 A1 for chargeback        -> returned A1 of h1, 0 owed
         1s bank return h1 for capture_failed       -> returned A2 of h1, 0 owed
         2s bob place A1 A2                         -> hold h2 until 122s total 2000",
    );
}

#[test]
fn seats_that_came_back_may_be_blocked_and_places_make_room() {
    check(
        "section A seats 2
         section F places 3
         0s ann place A1 A2 F 3         -> hold h1 until 120s total 5000
         0s ann order h1                -> new order of h1 open total 5000
         0s ann confirm h1 pay          -> confirmed
         1s olga block A1               -> refused conflicts-with-sales sold 1 held 0 asked 1 A1
         1s olga return h1 A1 F F       -> returned A1 F F of h1, 3000 owed
         1s olga block A1               -> done, 1 blocked
         1s olga capacity F 1           -> done, 1 blocked
         2s olga return h1              -> returned A2 F of h1, 2000 owed
         2s bob best 1 in A             -> hold h2 until 122s total 1000 of A2 nearest",
    );
}

/// An order that bought one seat of the hall, and its refund.
struct Sold {
    desk: Desk,
    rows: SoldOrder,
}

fn sold() -> Sold {
    let mut desk = Desk::new(terms(4));
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let order = OrderId::of(hold);
    desk.ask(place("ann", "k", &[0, 1])).unwrap();
    desk.ask(place_order("ann", hold)).unwrap();
    let attempt = AttemptId::derive(EVENT, &buyer("ann"), "pay");
    desk.ask(Command::ConfirmOrder { order, attempt }).unwrap();
    let rows = desk.journal.peek(EVENT);
    let (hold, order) = (rows.holds[0].clone(), rows.orders[0].clone());
    Sold { desk, rows: SoldOrder { hold, order } }
}

fn asked(sold: &SoldOrder, key: &str, tickets: Option<Vec<TicketId>>) -> TicketReturn {
    TicketReturn {
        refund: RefundId::derive(EVENT, "olga", key),
        fingerprint: keyed(key, &format!("{tickets:?}")).fingerprint,
        order: sold.order.id,
        buyer: sold.hold.buyer.clone(),
        tickets,
        cause: Cause::Refund,
        reason: "".into(),
        who: "olga".into(),
        deed: None,
        rows: None,
    }
}

fn back(asked: TicketReturn) -> Command {
    Command::ReturnTickets(Box::new(asked))
}

#[test]
fn two_returns_of_one_ticket_at_once_are_one_and_a_repeat_meanwhile_has_its_result() {
    let Sold { mut desk, rows } = sold();
    let ticket = TicketId::of(rows.order.id, 0);
    let first = desk.send(back(asked(&rows, "one", Some(vec![ticket]))));
    let repeated = desk.send(back(asked(&rows, "one", Some(vec![ticket]))));
    let second = desk.send(back(asked(&rows, "two", Some(vec![ticket]))));
    assert_eq!(desk.answers.len(), 3, "no answer leaves before the commit");
    while desk.commit() {}
    let outcome = |caller| desk.answer_of(caller).unwrap().unwrap();
    assert!(matches!(outcome(first).outcome, Outcome::Refunded(_)));
    assert!(outcome(repeated).replayed);
    assert_eq!(outcome(repeated).outcome, outcome(first).outcome);
    assert_eq!(outcome(second).outcome, Outcome::Refused(Refusal::RefundNotPossible));
}

#[test]
fn an_order_that_was_forgotten_comes_back_with_what_its_rows_say() {
    let Sold { mut desk, rows } = sold();
    let first = TicketId::of(rows.order.id, 0);
    let mut snapshot = desk.journal.peek(EVENT);
    (snapshot.holds, snapshot.orders, snapshot.receipts) = (vec![], vec![], vec![]);
    snapshot.epoch.0 += 1;
    let journal = desk.journal.clone();
    journal.claim(EVENT, taquilla_engine::journal::TakeFrom::Anyone).unwrap();
    desk = Desk::from_snapshot(terms(4), journal, snapshot, desk.now);

    let without = desk.ask(back(asked(&rows, "one", None))).unwrap();
    assert_eq!(without.outcome, Outcome::Refused(Refusal::NotFound));
    let from_rows = |key, tickets, rows: &SoldOrder| {
        back(TicketReturn { rows: Some(Box::new(rows.clone())), ..asked(rows, key, tickets) })
    };
    let mut open = rows.clone();
    open.order.status = OrderStatus::Open;
    open.hold.status = HoldStatus::Active;
    let refused = desk.ask(from_rows("one", None, &open)).unwrap();
    assert_eq!(refused.outcome, Outcome::Refused(Refusal::RefundNotPossible));
    let done = desk.ask(from_rows("one", Some(vec![first]), &rows)).unwrap();
    assert!(matches!(done.outcome, Outcome::Refunded(_)), "{done:?}");
    // Rows that are older than what the door has done since are not looked at.
    let again = desk.ask(from_rows("two", Some(vec![first]), &rows)).unwrap();
    assert_eq!(again.outcome, Outcome::Refused(Refusal::RefundNotPossible));
    desk.ask(place("bob", "b", &[0])).unwrap();
}

#[test]
fn a_ticket_that_is_issued_and_comes_back_in_one_batch_is_void_from_the_beginning() {
    let mut desk = Desk::new(terms(2));
    let hold = HoldId::derive(EVENT, &buyer("ann"), "k");
    let (order, attempt) = (OrderId::of(hold), AttemptId::derive(EVENT, &buyer("ann"), "pay"));
    desk.ask(place("ann", "k", &[0])).unwrap();
    desk.ask(place_order("ann", hold)).unwrap();
    // A batch is on its way: what comes now gathers behind it.
    desk.send(place("cat", "c", &[1]));
    desk.send(Command::ConfirmOrder { order, attempt });
    let rows = desk.journal.peek(EVENT);
    let rows = SoldOrder { hold: rows.holds[0].clone(), order: rows.orders[0].clone() };
    let returned = desk.send(back(asked(&rows, "one", None)));
    let again = desk.send(place("bob", "b", &[0]));
    while desk.commit() {}
    assert!(matches!(desk.answer_of(returned).unwrap().unwrap().outcome, Outcome::Refunded(_)));
    assert!(matches!(desk.answer_of(again).unwrap().unwrap().outcome, Outcome::Hold(_)));
    let (tickets, void) = (desk.journal.tickets(EVENT), desk.journal.void_tickets(EVENT));
    assert_eq!(tickets.len(), 1);
    assert!(void.contains(&tickets[0].id));
}

#[test]
fn a_return_that_nobody_waits_for_any_more_is_not_begun() {
    let Sold { mut desk, rows } = sold();
    let before = desk.now;
    desk.now = desk.now + Duration::from_secs(9);
    let late = desk.send_with_deadline(back(asked(&rows, "one", None)), before);
    assert_eq!(desk.answer_of(late), Some(Err(Unanswered::Overloaded)));
}

/// The line that goes on when the first is decided is its own buyer's.
#[test]
fn a_key_that_is_used_at_once_for_two_buyers_orders_keeps_nobody_waiting() {
    let Sold { mut desk, rows } = sold();
    let hold = HoldId::derive(EVENT, &buyer("bob"), "k");
    let order = OrderId::of(hold);
    desk.ask(place("bob", "k", &[2])).unwrap();
    desk.ask(place_order("bob", hold)).unwrap();
    let bobs = TicketReturn { order, buyer: buyer("bob"), ..asked(&rows, "one", None) };
    let anns = back(TicketReturn { fingerprint: [1; 32], ..asked(&rows, "one", None) });
    // Ann's own command is under way in a section, so that her return waits behind it.
    let (first, second) = desk.send_undelivered(place("ann", "l", &[3]), [anns, back(bobs)]);
    let last = desk.send(place("bob", "m", &[3]));
    while desk.commit() {}
    assert!(matches!(desk.answer_of(first).unwrap().unwrap().outcome, Outcome::Refunded(_)));
    let reused = desk.answer_of(second).unwrap().unwrap();
    assert_eq!(reused.outcome, Outcome::Refused(Refusal::KeyReused));
    assert!(desk.answer_of(last).is_some());
}
