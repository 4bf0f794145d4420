//! The statement's plan is kept for the life of a connection. Made while the tables were small, it
//! must still be right when they are large.

use taquilla_engine::event::{Fact, Snapshot};
use taquilla_engine::id::SeatIndex;
use taquilla_engine::section::SeatState;

use super::box_office::{BoxOffice, a_hold, hold_of};
use super::owner::buyer;
use crate::plain;

/// One seat, and nobody who has any: as small as the planner can know a table to be.
const SHRINK: &str = "DELETE FROM seats WHERE seat_key > 1048576";

const GROW: &str = "
    INSERT INTO seats (seat_key) SELECT 1048576 + i FROM generate_series(1, 59999) i;
    INSERT INTO buyers SELECT 1, 'crowd-' || i, 1, 6 FROM generate_series(1, 60000) i;";

const READ: &str = "SELECT relname::text, seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables \
    WHERE relname IN ('seats', 'buyers', 'holds') ORDER BY 1";
/// The batch's thousand, and what the test itself looked at; one reading of an event is 60,000.
const ROWS_READ_MAX: i64 = 2_000;

/// Seats held, and a buyer counted.
fn facts(seats: std::ops::Range<u32>, name: &str) -> Vec<Fact> {
    let hold = hold_of(name, "k");
    let becomes = SeatState::Held(hold);
    let seat = |seat| Fact::Seat { seat: SeatIndex(seat), was: SeatState::Available, becomes };
    let count = Fact::Buyer { buyer: buyer(name), was: 0, becomes: 1 };
    let placed = Fact::HoldPlaced(a_hold(name, "k"));
    seats.map(seat).chain([count, placed]).collect()
}

#[tokio::test]
async fn a_plan_made_on_small_tables_reads_only_the_rows_of_the_batch_in_large_ones() {
    let office = BoxOffice::open("plans").await;
    office.client.execute(SHRINK, &[]).await.expect("seats");
    office.client.batch_execute("VACUUM ANALYZE").await.expect("few rows");
    let mut owner: Snapshot = office.take_over().await;
    let append = async |owner: &mut Snapshot, facts| {
        office.append(&office.batch(owner, facts)).await.expect("true facts");
        owner.sequence = owner.sequence.next();
    };
    append(&mut owner, facts(0..1, "ann")).await;

    // No ANALYZE comes with the growth: the kept plan stays.
    office.client.batch_execute(GROW).await.expect("a stadium");
    append(&mut owner, facts(1_000..2_000, "bob")).await;

    // A session's counts are certain to be seen once it has ended.
    office.journal.close_idle();
    let gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE \
        datname = current_database() AND application_name = 'taquilla writer')";
    plain::until(&office.client, gone).await;
    for row in office.client.query(READ, &[]).await.expect("statistics") {
        let (table, read): (&str, i64) = (row.get(0), row.get(1));
        assert!(read <= ROWS_READ_MAX, "{read} rows of {table} were read for a thousand seats");
    }
}
