//! What the event's lane works on from now on: its head, a row a seat, a row a general section.

use taquilla_engine::id::EventNumber;
use tokio_postgres::{Client, Error};

use super::super::seating_plan::SeatingPlan;
use crate::columns;

const HEAD: &str = "/* create_event */ INSERT INTO event_heads (event_no) VALUES ($1)";

/// Of one statement: some 0.2 s.
const CHUNK_SEATS: u32 = 50_000;

/// `seat_key` is the event's number times 2^20 plus the seat's index. A dropped seat is blocked.
const SEATS: &str = "/* create_event */ \
    INSERT INTO seats (seat_key, state) \
    SELECT $1::integer::bigint * 1048576 + seat_index, CASE WHEN dropped THEN 3 ELSE 0 END \
      FROM plan_seats WHERE plan_id = $2 AND seat_index >= $3 AND seat_index < $4 \
     ORDER BY seat_index";

const AREAS: &str = "/* create_event */ \
    INSERT INTO general_areas (event_no, section_no, capacity) \
    SELECT $1, section_no, capacity FROM plan_sections WHERE plan_id = $2 AND kind = 1";

pub(super) async fn insert(
    transaction: &Client,
    event: EventNumber,
    plan: &SeatingPlan,
) -> Result<(), Error> {
    transaction.execute(HEAD, &[&event.0]).await?;
    for first in (0..plan.seats()).step_by(CHUNK_SEATS as usize) {
        let (from, to) =
            (columns::integer(first), columns::integer(first.saturating_add(CHUNK_SEATS)));
        transaction.execute(SEATS, &[&event.0, &plan.id, &from, &to]).await?;
    }
    transaction.execute(AREAS, &[&event.0, &plan.id]).await?;
    Ok(())
}
