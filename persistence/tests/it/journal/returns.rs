//! Sold tickets that come back, in rows: void with their refund in one batch, their seats free, and the
//! next owner knows it.

use std::time::Duration;

use taquilla_engine::answer::Outcome;
use taquilla_engine::command::Command;
use taquilla_engine::event::Fact;
use taquilla_engine::hold::Claim;
use taquilla_engine::id::{AttemptId, HoldId, OrderId, RefundId, TicketId};
use taquilla_engine::journal::{AppendError, Journal, TakeFrom};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use taquilla_engine::refund::{Cause, Refund, TicketReturn};
use taquilla_engine::refusal::Refusal;
use taquilla_persistence::audit::Audit;
use taquilla_persistence::codec::{self, Record, ReturnCause};
use taquilla_persistence::database::Database;
use taquilla_persistence::orders::{Orders, RefundStatus};
use taquilla_persistence::pool::Pool;
use uuid::Uuid;

use super::box_office::{BoxOffice, EVENT, FLOOR, KEYS_KEPT, hold_of, seats};
use super::owner::{Owner, buyer, order, place, place_seats};

pub(crate) fn asked(who: &str, hold: HoldId, key: &str, places: Option<&[u32]>) -> TicketReturn {
    let order = OrderId::of(hold);
    let ticket = |place: &u32| TicketId::of(order, *place);
    TicketReturn {
        refund: RefundId::derive(EVENT, "olga", key),
        fingerprint: [9; 32],
        order,
        buyer: buyer(who),
        tickets: places.map(|places| places.iter().map(ticket).collect()),
        cause: Cause::Refund,
        reason: "the \"rain\"".into(),
        who: "olga".into(),
        deed: None,
        rows: None,
    }
}

pub(crate) fn back(asked: TicketReturn) -> Command {
    Command::ReturnTickets(Box::new(asked))
}

/// A confirmed order of seats 1 and 12 and of two places: 1,150 each.
pub(super) async fn sold(office: &BoxOffice) -> (Owner, HoldId) {
    let mut owner = Owner::start(office).await;
    let hold = hold_of("ann", "k");
    let (id, attempt) = (OrderId::of(hold), AttemptId::derive(EVENT, &buyer("ann"), "p"));
    owner.ask(place("ann", "k", Claim { seats: seats(&[1, 12]), places: vec![(FLOOR, 2)] }));
    owner.ask(order("ann", "o", hold));
    owner.commit(office).await;
    office.authorize(attempt.uuid(), id.uuid()).await;
    owner.ask(Command::ConfirmOrder { order: id, attempt });
    owner.commit(office).await;
    (owner, hold)
}

/// The money workflow's part: the one attempt is captured.
async fn capture(office: &BoxOffice) {
    let captured = "UPDATE payment_attempts SET status = 'captured', \
        resolved_at = clock_timestamp() RETURNING attempt_id";
    let attempt = office.client.query_one(captured, &[]).await.expect("an attempt");
    office.book(attempt.get(0), "captured").await;
}

async fn assert_rows_agree(office: &BoxOffice) {
    let pool = Pool::new(&office.settings).expect("a good URL");
    let audit = Audit::new(Database::new(pool, &office.settings));
    let report = audit.run(Some(EVENT)).await.expect("an audit");
    let broken: Vec<_> = report.invariants.iter().filter(|it| it.violations > 0).collect();
    assert!(report.ok, "{broken:?}");
}

#[tokio::test]
async fn what_comes_back_is_void_owed_and_for_sale_again() {
    let office = BoxOffice::open("return").await;
    let (mut owner, hold) = sold(&office).await;
    // Somebody has been let in: memory does not know, and need not.
    let scanned = "WITH used AS (UPDATE tickets SET status = 2 RETURNING *) \
        INSERT INTO ticket_scans (scan_id, code_hash, at, who, result, ticket_id, event_no) \
        SELECT ticket_id::text, sha256(''), clock_timestamp(), 'gate', 0, ticket_id, event_no FROM used";
    office.client.execute(scanned, &[]).await.expect("tickets");
    let deed = Deed {
        id: Uuid::from_u128(1),
        who: "olga".into(),
        what: "refund_tickets",
        why: "rain".into(),
        detail: "{}".into(),
    };
    let first = TicketReturn { deed: Some(deed), ..asked("ann", hold, "one", Some(&[1, 3])) };
    let answered = owner.ask(back(first));
    owner.commit(&office).await;
    let Outcome::Refunded(refund) = owner.outcome(answered).clone() else {
        panic!("{:?}", owner.outcome(answered))
    };
    assert_eq!((refund.amount, refund.tickets.len()), (2_300, 2));

    let due = "SELECT count(*) FROM refunds r JOIN operator_actions a USING (who) \
        WHERE r.status = 'due' AND r.amount = 2300 AND r.currency = 'EUR' AND resolved_at IS NULL \
          AND cause = 'refund' AND reason = 'the \"rain\"' AND a.what = 'refund_tickets' \
          AND fingerprint = decode(repeat('09', 32), 'hex') AND cardinality(tickets) = 2";
    assert_eq!(office.count(due).await, 1);
    let void = "SELECT count(*) FROM tickets t JOIN refunds r USING (order_id) \
        WHERE t.status = 1 AND t.ticket_id = ANY (r.tickets)";
    assert_eq!(office.count(void).await, 2);
    assert_eq!(office.count("SELECT seats::bigint FROM buyers").await, 2);
    assert_eq!(office.count("SELECT sold::bigint FROM general_areas").await, 1);
    assert_eq!(
        office.count("SELECT state::bigint FROM seats WHERE seat_key % 1048576 = 12").await,
        0
    );
    assert_rows_agree(&office).await;

    let payload = office.client.query_one("SELECT payload FROM outbox WHERE seq = 3", &[]).await;
    let history = codec::decode(payload.expect("a row a batch").get(0)).expect("our own format");
    let [Record::TicketsReturned { amount: 2_300, cause: ReturnCause::Refund, tickets, .. }, _] =
        &history[..]
    else {
        panic!("{history:?}")
    };
    assert_eq!(tickets.len(), 2);

    let mut next = Owner::rebuild(office.take_over().await);
    let again = next.ask(back(asked("ann", hold, "one", Some(&[1, 3]))));
    let void = next.ask(back(asked("ann", hold, "two", Some(&[1]))));
    let rest = next.ask(back(asked("ann", hold, "three", None)));
    next.ask(place("bob", "k", Claim { seats: seats(&[1, 12]), places: vec![(FLOOR, 4)] }));
    next.commit(&office).await;
    assert_eq!(*next.outcome(again), Outcome::Refunded(refund));
    assert_eq!(*next.outcome(void), Outcome::Refused(Refusal::RefundNotPossible));
    assert!(matches!(next.outcome(rest), Outcome::Refunded(it) if it.amount == 2_300));
    assert_eq!(office.count("SELECT count(*) FROM tickets WHERE status <> 1").await, 0);
    assert_rows_agree(&office).await;
}

#[tokio::test]
async fn a_seat_sold_given_back_and_sold_to_another_in_one_batch_has_one_valid_ticket() {
    let office = BoxOffice::open("return_at_once").await;
    let mut owner = Owner::start(&office).await;
    let (anns, bobs) = (hold_of("ann", "k"), hold_of("bob", "k"));
    owner.ask(place_seats("ann", "k", &[20, 21]));
    owner.ask(order("ann", "o", anns));
    let free = owner.ask(back(asked("ann", anns, "one", None)));
    owner.ask(place_seats("bob", "k", &[20]));
    owner.ask(order("bob", "o", bobs));
    owner.commit(&office).await;
    assert!(matches!(owner.outcome(free), Outcome::Refunded(it) if it.amount == 0));
    let none = "SELECT count(*) FROM refunds WHERE status = 'none' AND resolved_at = created_at";
    assert_eq!(office.count(none).await, 1);
    assert_eq!(office.count("SELECT count(*) FROM tickets WHERE status = 1").await, 2);
    assert_eq!(office.count("SELECT count(*) FROM tickets WHERE status = 0").await, 1);
    assert_rows_agree(&office).await;

    // And one that was sold before.
    let cids = hold_of("cid", "k");
    owner.ask(back(asked("bob", bobs, "two", None)));
    owner.ask(place_seats("cid", "k", &[20]));
    owner.ask(order("cid", "o", cids));
    owner.commit(&office).await;
    assert_eq!(office.count("SELECT count(*) FROM tickets WHERE status = 0").await, 1);
    assert_rows_agree(&office).await;
}

#[tokio::test]
async fn an_order_older_than_memory_is_found_in_rows_and_remembered_from_then_on() {
    let office = BoxOffice::open("return_old").await;
    let (_, hold) = sold(&office).await;
    capture(&office).await;
    let pool = Pool::new(&office.settings).expect("a good URL");
    let orders = Orders::new(Database::new(pool, &office.settings));
    let rows = orders.sold(OrderId::of(hold)).await.expect("rows").expect("an order");
    assert_eq!((rows.order.verdicts.len(), rows.hold.claim.quantity()), (1, 4));
    // Whatever has become of the money.
    for status in ["capture_failed", "captured"] {
        let put = "UPDATE payment_attempts SET status = $1";
        office.client.execute(put, &[&status]).await.expect("an attempt");
        let now = orders.sold(OrderId::of(hold)).await.expect("rows").expect("an order");
        assert_eq!(now.order.verdicts, rows.order.verdicts, "{status}");
    }

    // So briefly that the sale, an hour old, is forgotten.
    let briefly = Duration::from_secs(1);
    let take_over = || office.journal.take_over(EVENT, TakeFrom::Anyone, briefly, &[]);
    let snapshot = take_over().await.expect("the event exists");
    assert!(snapshot.holds.is_empty(), "{:?}", snapshot.holds);
    let mut owner = Owner::rebuild(snapshot);
    let unknown = owner.ask(back(asked("ann", hold, "one", None)));
    let found = |key, places| {
        let rows = Some(Box::new(rows.clone()));
        back(TicketReturn { rows, ..asked("ann", hold, key, places) })
    };
    let first = owner.ask(found("one", Some(&[0])));
    let void = owner.ask(found("two", Some(&[0])));
    owner.commit(&office).await;
    assert_eq!(*owner.outcome(unknown), Outcome::Refused(Refusal::NotFound));
    assert!(matches!(owner.outcome(first), Outcome::Refunded(it) if it.amount == 1_150));
    assert_eq!(*owner.outcome(void), Outcome::Refused(Refusal::RefundNotPossible));

    let found_now = orders.sold(OrderId::of(hold)).await.expect("rows").expect("an order");
    assert_eq!(found_now.order.refunds.len(), 1);
    let refund = found_now.order.refunds[0].id;
    let record = orders.refund(refund).await.expect("rows").expect("it is there");
    assert_eq!((record.order, record.status), (OrderId::of(hold), RefundStatus::Due));
    assert_eq!(
        (record.money.amount, record.tickets),
        (1_150, found_now.order.refunds[0].tickets.clone())
    );
    let other = RefundId::derive(EVENT, "olga", "other");
    assert_eq!(orders.refund(other).await.expect("rows"), None);
    assert_rows_agree(&office).await;
}

/// Rows that are read before a return, by an owner that begins after it, must not be older than its memory.
#[tokio::test]
async fn an_old_order_whose_tickets_came_back_lately_is_read_by_the_next_owner() {
    let office = BoxOffice::open("return_lately").await;
    let (mut owner, hold) = sold(&office).await;
    owner.pass(Duration::from_secs(3_590));
    owner.ask(back(asked("ann", hold, "one", Some(&[0]))));
    owner.commit(&office).await;
    capture(&office).await;
    let briefly = Duration::from_secs(1_800);
    let read = office.journal.take_over(EVENT, TakeFrom::Anyone, briefly, &[]).await;
    let read = read.expect("the event exists");
    assert_eq!((read.holds.len(), read.orders[0].refunds.len()), (1, 1));
    let all = office.journal.take_over(EVENT, TakeFrom::Anyone, KEYS_KEPT, &[]).await;
    assert_eq!(all.expect("the event exists").orders, read.orders);
}

#[tokio::test]
async fn the_statement_refuses_what_has_come_back_already_and_what_is_not_sold() {
    let office = BoxOffice::open("return_beliefs").await;
    let (_, hold) = sold(&office).await;
    let owner = office.take_over().await;
    let before = office.rows().await;
    let refund = |order: OrderId, ticket| Refund {
        id: RefundId::of(order, "again"),
        fingerprint: [9; 32],
        order,
        cause: Cause::Chargeback,
        reason: "".into(),
        who: "bank".into(),
        amount: 0,
        tickets: vec![ticket],
        at: Moment(0),
    };
    let returned = |refund| {
        let part = Claim::of_seats(seats(&[1]));
        office.batch(&owner, vec![Fact::TicketsReturned { refund, part }])
    };
    let (mine, others) = (OrderId::of(hold), OrderId::of(hold_of("bob", "k")));
    let no_such = office.append(&returned(refund(mine, TicketId::of(mine, 4)))).await;
    assert!(matches!(no_such, Err(AppendError::Refused(table)) if table.starts_with("tickets")));
    let anothers = office.append(&returned(refund(others, TicketId::of(mine, 0)))).await;
    assert!(matches!(anothers, Err(AppendError::Refused(table)) if table.starts_with("tickets")));
    assert_eq!(office.rows().await, before);

    office.client.execute("UPDATE orders SET status = 0", &[]).await.expect("an order");
    let open = office.append(&returned(refund(mine, TicketId::of(mine, 0)))).await;
    assert!(matches!(open, Err(AppendError::Refused(table)) if table.starts_with("orders")));
    office.client.execute("UPDATE orders SET status = 1", &[]).await.expect("an order");
    office.client.execute("UPDATE tickets SET status = 1", &[]).await.expect("tickets");
    let twice = office.append(&returned(refund(mine, TicketId::of(mine, 0)))).await;
    assert!(matches!(twice, Err(AppendError::Refused(table)) if table.starts_with("tickets")));
}
