//! The statement's plan is kept for the life of a connection. Made while the tables were small, it
//! must still be right when they are large.

use taquilla_engine::event::{Fact, Snapshot};
use taquilla_engine::hold::{Claim, Hold, HoldStatus};
use taquilla_engine::id::{AttemptId, EventNumber, OrderId, SeatIndex};
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::section::SeatState;
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::story::{Stories, Subject};

use super::box_office::{BoxOffice, EVENT, FLOOR, a_hold, hold_of};
use super::owner::buyer;
use crate::plain;

/// One seat, and nobody who has any: as small as the planner can know a table to be.
const SHRINK: &str = "DELETE FROM seats WHERE seat_key > 1048576";

/// Everything as in a stadium that is sold out, and was before.
const GROW: &str = "
    BEGIN;
    SET LOCAL session_replication_role = replica;
    INSERT INTO seats (seat_key) SELECT 1048576 + i FROM generate_series(1, 59999) i;
    INSERT INTO buyers SELECT 1, 'crowd-' || i, 1, 6 FROM generate_series(1, 60000) i;
    CREATE TEMP TABLE crowd AS SELECT i, (lpad(to_hex(1), 8, '0') || '-0000-8000-8000-'
        || lpad(to_hex(i), 12, '0'))::uuid AS id FROM generate_series(1, 60000) i;
    INSERT INTO holds SELECT id, 1, 'crowd-' || i, sha256(''), '{0}', 2, '{0,0}', '{0}', 0, now(), now(),
        2, now(), '{\"declined_seats\": [7]}' FROM crowd;
    INSERT INTO hold_places SELECT id, 3, 0, 1 FROM crowd;
    INSERT INTO orders SELECT id, id, 1, 'crowd-' || i, 3, 0, now(), now() FROM crowd;
    INSERT INTO payment_attempts (attempt_id, order_id, event_no, buyer, fingerprint, method, provider,
        amount, currency, status, created_at, resolved_at) SELECT id, id, 1, 'crowd-' || i,
        sha256(''), 'm', 'sim', 1, 'EUR', 'declined', now(), now() FROM crowd;
    COMMIT;";

const READ: &str = "SELECT relname::text, seq_tup_read + coalesce(idx_tup_fetch, 0) \
    FROM pg_stat_user_tables WHERE relname IN \
        ('seats', 'buyers', 'holds', 'hold_places', 'orders', 'payment_attempts') ORDER BY 1";
/// The batch's thousand, and what the test itself looked at; one reading of an event is 60,000.
const ROWS_READ_MAX: i64 = 2_000;

/// Seats held, and a buyer counted.
fn held(seats: std::ops::Range<u32>, name: &str) -> Vec<Fact> {
    let hold = hold_of(name, "k");
    let becomes = SeatState::Held(hold);
    let seat = |seat| Fact::Seat { seat: SeatIndex(seat), was: SeatState::Available, becomes };
    let count = Fact::Buyer { buyer: buyer(name), was: 0, becomes: 1 };
    let placed = Fact::HoldPlaced(a_hold(name, "k"));
    seats.map(seat).chain([count, placed]).collect()
}

/// A hold of two places and a seat, and one with an order.
fn bought(name: &str) -> Vec<Fact> {
    let order = Order {
        id: OrderId::of(hold_of(name, "order")),
        hold: hold_of(name, "order"),
        buyer: buyer(name),
        status: OrderStatus::Open,
        total: 2_300,
        created_at: taquilla_engine::moment::Moment(0),
        verdicts: vec![],
        refunds: vec![],
    };
    vec![
        Fact::HoldPlaced(of_places(name, 2)),
        Fact::HoldPlaced(a_hold(name, "order")),
        Fact::OrderPlaced(order),
    ]
}

fn of_places(name: &str, places: u32) -> Hold {
    let claim = Claim { places: vec![(FLOOR, places)], ..Claim::of_seats(vec![SeatIndex(3)]) };
    let unit_prices = vec![1_000; places as usize + 1];
    Hold { claim, unit_prices, ..a_hold(name, "places") }
}

/// The one gives a place back, the other ends with its order, and its money goes back.
fn given_up(name: &str) -> Vec<Fact> {
    let (hold, order) = (hold_of(name, "order"), OrderId::of(hold_of(name, "order")));
    let at = taquilla_engine::moment::Moment(1);
    let part = Claim::of_places(FLOOR, 1);
    vec![
        Fact::HoldReduced { hold: of_places(name, 1), part, at },
        Fact::HoldEnded { hold, status: HoldStatus::Expired, at },
        Fact::OrderEnded { order, status: OrderStatus::Expired, at },
        Fact::AttemptDecided { attempt: attempt(name), order, verdict: Verdict::VoidDue },
    ]
}

fn attempt(name: &str) -> AttemptId {
    AttemptId::derive(EVENT, &buyer(name), "pay")
}

/// Counts from now on, whatever was read before.
async fn grow(office: &BoxOffice) {
    let grower = plain::client(&office.settings).await;
    grower.batch_execute("SET application_name = 'grower'").await.expect("a session");
    grower.batch_execute(GROW).await.expect("a stadium");
    drop(grower);
    sessions_left(office, "grower", 0).await;
    office.client.batch_execute("SELECT pg_stat_reset()").await.expect("a superuser");
}

/// A session's counts are certain to be seen once it has ended.
async fn sessions_left(office: &BoxOffice, name: &str, count: i32) {
    let left = format!(
        "SELECT count(*) = {count} FROM pg_stat_activity \
          WHERE datname = current_database() AND application_name = '{name}'"
    );
    plain::until(&office.client, &left).await;
}

async fn only_what_it_must_was_read(office: &BoxOffice) {
    let tables = office.client.query(READ, &[]).await.expect("statistics");
    assert_eq!(tables.len(), 6);
    for row in tables {
        let (table, read): (&str, i64) = (row.get(0), row.get(1));
        assert!(read <= ROWS_READ_MAX, "{read} rows of {table} were read");
    }
}

#[tokio::test]
async fn a_plan_made_on_small_tables_reads_only_the_rows_of_the_batch_in_large_ones() {
    let office = BoxOffice::open("plans").await;
    office.client.execute(SHRINK, &[]).await.expect("seats");
    let mut owner: Snapshot = office.take_over().await;
    let append = async |owner: &mut Snapshot, facts| {
        office.append(&office.batch(owner, facts)).await.expect("true facts");
        owner.sequence = owner.sequence.next();
    };
    for name in ["cid", "dan"] {
        append(&mut owner, bought(name)).await;
        let order = OrderId::of(hold_of(name, "order"));
        office.authorize(attempt(name).uuid(), order.uuid()).await;
    }
    // From here on the planner knows how little there is of everything.
    office.client.batch_execute("VACUUM ANALYZE").await.expect("few rows");
    append(&mut owner, held(0..1, "ann")).await;
    append(&mut owner, given_up("cid")).await;

    // No ANALYZE comes with the growth: the kept plan stays.
    grow(&office).await;
    append(&mut owner, held(1_000..2_000, "bob")).await;
    append(&mut owner, given_up("dan")).await;

    office.journal.close_idle();
    sessions_left(&office, "taquilla writer", 0).await;
    only_what_it_must_was_read(&office).await;
    let given_back = "SELECT count(*) FROM hold_places WHERE section_no = 3 AND quantity = 1 \
        AND hold_id IN ($1, $2)";
    let holds = [hold_of("cid", "places").uuid(), hold_of("dan", "places").uuid()];
    let row = office.client.query_one(given_back, &[&holds[0], &holds[1]]).await.expect("a count");
    assert_eq!(row.get::<_, i64>(0), 2);
}

#[tokio::test]
async fn the_story_of_a_seat_reads_no_other_events_holds() {
    let office = BoxOffice::open("story_reads").await;
    office.client.execute(SHRINK, &[]).await.expect("seats");
    grow(&office).await;
    let pool = Pool::new(&office.settings).expect("a good URL");
    let stories = Stories::new(Database::new(pool, &office.settings));
    let seat = Subject::Seat { seat: SeatIndex(7), label: "S-7".into() };
    let told = stories.tell(EventNumber(2), &seat, None, 10).await.expect("a story");
    assert_eq!(told.map(|story| story.items), Some(vec![]));
    drop(stories);
    // The clock's own.
    sessions_left(&office, "taquilla pool", 1).await;
    only_what_it_must_was_read(&office).await;
}
