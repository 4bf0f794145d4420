use std::time::Duration;

use taquilla_engine::id::{AttemptId, EventNumber, OrderId};
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempts, Failure, Refunds, Step};
use taquilla_persistence::audit::{Audit, AuditReport};
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::refunds::PostgresRefunds;
use tokio::task::JoinSet;

use crate::audit_violations::VIOLATIONS;
use crate::box_office::{BoxOffice, action, new_event};
use crate::plain::{self, in_time};

/// A database in which everything has happened once: seats and places held, sold, released,
/// expired; orders open, confirmed, cancelled, expired; attempts captured, declined, voided, open; tickets
/// come back, for money and for none.
pub(crate) async fn busy_office(name: &str) -> BoxOffice {
    let office = BoxOffice::open(name).await;
    let attempts = office.attempts();
    office.sell("ana", 0).await;
    office.hold("bob", &[1, 2]).await;

    let open = office.order(office.hold("cleo", &[3]).await).await;
    let declined = office.new_attempt("cleo", open, "declined");
    attempts.open(&declined).await.expect("the store is there");
    let no = Failure { code: "no".into(), detail: "no".into() };
    attempts.step(declined.id, &Step::Declined(no)).await.expect("the store is there");
    attempts.open(&office.new_attempt("cleo", open, "open")).await.expect("the store is there");

    let cancelled = office.hold("dora", &[4]).await;
    office.order(cancelled).await;
    office.release(cancelled).await;

    let expired = office.hold("emil", &[5]).await;
    let order = office.order(expired).await;
    let late = office.authorize("emil", order, "late").await;
    office.expire(expired).await;
    office.decide(late.id, "void_due").await;
    attempts.step(late.id, &Step::Voided).await.expect("the store is there");

    office.hold("fay", &[]).await;
    sell_unpaid(&office, "gus", &[]).await;
    let overdue = office.hold("hal", &[6]).await;
    office.let_time_pass(overdue).await;
    let back = office.sell("ida", 7).await;
    office.take_back(back, 1).await;
    let (some_back, _) = sell_unpaid(&office, "jon", &[]).await;
    office.take_back(some_back, 1).await;
    undo_sales(&office).await;
    open_line(&office).await;
    office
}

/// A waiting room that has been drawn among three: two were called, one came and has bought, one left; a fourth
/// came later.
async fn open_line(office: &BoxOffice) {
    let rows = "WITH drawn (number, ticket_id) AS \
            (SELECT n, gen_random_uuid() FROM generate_series(0, 3) n), \
        head AS (INSERT INTO queue_heads (event_no, salt, secret, joined, present, value, opened_at, served) \
            SELECT event_no, sha256('salt'), sha256('secret'), 4, 3, \
                   (SELECT sha256(string_agg(uuid_send(ticket_id), '' ORDER BY number)) FROM drawn \
                     WHERE number < 3), now(), 2 FROM events), \
        calls AS (INSERT INTO queue_calls SELECT event_no, served, now() \
                    FROM events, (VALUES (1), (2)) c (served)) \
        INSERT INTO queue_tickets (event_no, number, ticket_id, buyer, joined_at, turn, turned_at) \
        SELECT event_no, number, ticket_id, (ARRAY['ana', 'bob', 'cleo', 'ana'])[number + 1], now(), \
               (ARRAY[2, 1, NULL, NULL])[number + 1], \
               CASE WHEN number < 2 THEN now() END FROM drawn, events";
    office.call(rows, &[]).await;
}

/// Of those whose money did not come, or went again: kim's capture was refused, lea's for good; max got all
/// of it back, and nia's bank took it.
async fn undo_sales(office: &BoxOffice) {
    let attempts = office.attempts();
    let (_, refused) = sell_unpaid(office, "kim", &[4]).await;
    refuse_capture(office, refused).await;

    let (order, refused) = sell_unpaid(office, "lea", &[]).await;
    refuse_capture(office, refused).await;
    office.take_back_for(order, 2, "capture_failed").await;
    for step in [Step::GraceOver, Step::TicketsReturned, Step::Voided] {
        attempts.step(refused, &step).await.expect("the store is there");
    }

    let order = office.sell("max", 5).await;
    let refund = office.take_back(order, 1).await;
    let refunds = PostgresRefunds::new(office.database.clone());
    refunds.settle(refund, 0, office.owed(refund).await).await.expect("the store is there");
    // It comes back, and is paid anew.
    let paid = refunds.of_order(order).await.expect("the store is there").paid;
    let came_back = refunds.failed(&paid[0], Duration::ZERO).await;
    assert_eq!(came_back, Ok(true));
    refunds.settle(refund, 1, office.owed(refund).await).await.expect("the store is there");

    let (order, taken) = sell_unpaid(office, "nia", &[]).await;
    let attempt = attempts.step(taken, &Step::Captured).await.expect("the store is there");
    let money = Money { amount: attempt.money.amount, currency: euro() };
    attempts.charge_back(taken, "n1", money).await.expect("the store is there");
    office.take_back_for(order, 2, "chargeback").await;
}

/// A sale whose capture is still to be made: of these seats or, with none given, two places.
async fn sell_unpaid(office: &BoxOffice, buyer: &str, seats: &[i32]) -> (OrderId, AttemptId) {
    let hold = office.hold(buyer, seats).await;
    let order = office.order(hold).await;
    let attempt = office.authorize(buyer, order, "sale").await;
    let quantity = if seats.is_empty() { 2 } else { seats.len() };
    office.convert(hold, u32::try_from(quantity).expect("few seats")).await;
    office.decide(attempt.id, "confirmed").await;
    (order, attempt.id)
}

/// The authorisation has lapsed meanwhile.
async fn refuse_capture(office: &BoxOffice, attempt: AttemptId) {
    let lapse = "UPDATE payment_attempts SET lapses_at = now() - interval '1 hour' \
        WHERE attempt_id = $1";
    office.call(lapse, &[&attempt.uuid()]).await;
    let no = Step::CaptureRefused(Failure::new("no", "no"));
    office.attempts().step(attempt, &no).await.expect("the store is there");
}

fn euro() -> Currency {
    Currency::parse("EUR").expect("three letters")
}

#[tokio::test]
async fn rows_as_the_lane_leaves_them_pass() {
    let office = busy_office("audit_clean").await;
    let report = run(&office, None).await;
    assert!(report.ok, "{:?}", broken(&report));
    assert_eq!(report.invariants.len(), Audit::names().count());
}

#[tokio::test]
async fn a_sale_whose_money_was_never_to_be_had_passes_at_each_step() {
    // Its tickets come back because of that, or an operator gave them back before.
    for cause in ["capture_failed", "refund"] {
        let office = BoxOffice::open(&format!("audit_{cause}")).await;
        let attempts = office.attempts();
        let (order, attempt) = sell_unpaid(&office, "ana", &[0]).await;
        refuse_capture(&office, attempt).await;
        assert_eq!(broken(&run(&office, None).await), [] as [&str; 0], "in its grace");
        office.take_back_for(order, 1, cause).await;
        for step in [None, Some(Step::GraceOver), Some(Step::TicketsReturned), Some(Step::Voided)] {
            if let Some(step) = &step {
                attempts.step(attempt, step).await.expect("the store is there");
            }
            assert_eq!(broken(&run(&office, None).await), [] as [&str; 0], "{cause}: {step:?}");
        }
    }
}

#[tokio::test]
async fn of_audits_at_once_two_are_made_and_the_others_told_to_come_again() {
    let office = BoxOffice::open("audits_at_once").await;
    let (proxy, through) = plain::behind_a_proxy(&office.settings).await;
    let database = Database::new(Pool::new(&through).expect("a good URL"), &through);
    let audit = Audit::new(database);
    // Connected, so that what is held back is the audit's.
    in_time(audit.run(None)).await.expect("an audit");
    proxy.hold_answers();
    let (one, two) = (audit.clone(), audit.clone());
    let both = async { tokio::join!(one.run(None), two.run(None)) };
    let third = async {
        proxy.until(|traffic| traffic.answers_held > 0 && traffic.connections == 2).await;
        let third = audit.run(None).await;
        proxy.release();
        third
    };
    let ((one, two), third) = in_time(async { tokio::join!(both, third) }).await;
    assert!(matches!(third, Err(DatabaseError::Overloaded)), "{third:?}");
    assert!(one.expect("an audit").ok && two.expect("an audit").ok);
    assert!(in_time(audit.run(None)).await.expect("an audit").ok, "its turn has come");
}

#[tokio::test]
async fn each_violation_is_named() {
    // Most of the time goes into making databases.
    for some in VIOLATIONS.chunks(8) {
        let checks: JoinSet<()> = some.iter().map(|(name, sql)| is_named(name, sql)).collect();
        checks.join_all().await;
    }
}

async fn is_named(invariant: &'static str, violation: &'static str) {
    let office = busy_office("audit").await;
    if let Err(error) = office.client.batch_execute(violation).await {
        panic!("{invariant}: {violation}: {error:?}");
    }
    for event in [None, Some(office.event.event())] {
        let report = run(&office, event).await;
        let named = report.invariants.iter().find(|it| it.name == invariant);
        let named = named.unwrap_or_else(|| panic!("there is no {invariant}"));
        assert!(named.violations > 0, "{invariant} by {violation}: {:?}", broken(&report));
        assert!(!named.examples.is_empty() && !report.ok, "{report:?}");
    }
}

#[test]
fn every_invariant_has_a_violation() {
    for name in Audit::names() {
        assert!(VIOLATIONS.iter().any(|(invariant, _)| *invariant == name), "{name} has none");
    }
}

#[tokio::test]
async fn an_audit_of_one_event_does_not_look_at_the_others() {
    let office = busy_office("audit_one").await;
    for (_, violation) in VIOLATIONS {
        // After the others not every one is possible any more.
        office.client.batch_execute(violation).await.ok();
    }
    let catalogue = Catalogue::new(office.database.clone());
    let other = catalogue.create_event(&office.venue, &new_event("dia"), &action()).await;
    let other: EventNumber = other.expect("a new event").event();
    assert_eq!(broken(&run(&office, Some(other)).await), [] as [&str; 0]);
    assert!(!run(&office, None).await.ok);
}

async fn run(office: &BoxOffice, event: Option<EventNumber>) -> AuditReport {
    Audit::new(office.database.clone()).run(event).await.expect("an audit")
}

fn broken(report: &AuditReport) -> Vec<&'static str> {
    let broken = report.invariants.iter().filter(|invariant| invariant.violations > 0);
    broken.map(|invariant| invariant.name).collect()
}
