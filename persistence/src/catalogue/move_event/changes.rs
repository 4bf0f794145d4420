//! What a new plan makes of an event's rows. Nothing of it is anybody's.

use taquilla_engine::event::Fact;
use taquilla_engine::id::{EventNumber, SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use tokio_postgres::{Client, Error, Row};
use uuid::Uuid;

use super::SectionTier;
use super::in_the_way::ChangedArea;
use crate::catalogue::seating_plan::category_number;
use crate::columns;

/// Those that an operator has blocked stay so.
const DROPPED: &str = "/* drop_seats */ \
    UPDATE seats s SET state = 3 FROM plan_seats p \
     WHERE p.plan_id = $2 AND p.dropped AND s.state = 0 \
       AND s.seat_key = $1::integer::bigint * 1048576 + p.seat_index \
    RETURNING p.seat_index";

const BACK: &str = "/* bring_seats_back */ \
    UPDATE seats s SET state = 0 FROM plan_seats p JOIN plan_seats b USING (seat_index) \
     WHERE b.plan_id = $2 AND p.plan_id = $3 AND b.dropped AND NOT p.dropped AND s.state = 3 \
       AND s.seat_key = $1::integer::bigint * 1048576 + p.seat_index \
    RETURNING p.seat_index";

const NEW_SEATS: &str = "/* add_seats */ \
    INSERT INTO seats (seat_key, state) \
    SELECT $1::integer::bigint * 1048576 + seat_index, CASE WHEN dropped THEN 3 ELSE 0 END \
      FROM plan_seats WHERE plan_id = $2 AND seat_index >= $3 AND seat_index < $4 \
     ORDER BY seat_index";

/// A plan's indexes are all those below this.
const SEATS: &str = "/* seats_of_plan */ \
    SELECT coalesce(max(seat_index) + 1, 0) FROM plan_seats WHERE plan_id = $1";

/// Of one statement: some 0.2 s.
const CHUNK_SEATS: i32 = 50_000;

const NEW_AREAS: &str = "/* add_general_areas */ \
    INSERT INTO general_areas (event_no, section_no, capacity) \
    SELECT $1, section_no, capacity FROM plan_sections n \
     WHERE plan_id = $3 AND kind = 1 \
       AND NOT EXISTS (SELECT FROM plan_sections b \
                        WHERE b.plan_id = $2 AND b.section_no = n.section_no)";

const CAPACITY: &str = "/* change_general_area */ \
    UPDATE general_areas SET capacity = $3 WHERE event_no = $1 AND section_no = $2";

const TIERS: &str = "/* price_sections */ \
    INSERT INTO event_section_tiers (event_no, section_no, category_no, tier_no) \
    SELECT $1, section_no, category_no, tier_no \
      FROM unnest($2::smallint[], $3::smallint[], $4::smallint[]) \
           AS s (section_no, category_no, tier_no)";

/// Makes them; what the event's history tells of it.
pub(super) async fn make(
    transaction: &Client,
    event: EventNumber,
    before: Uuid,
    after: Uuid,
    areas: &[ChangedArea],
    at: Moment,
) -> Result<Vec<Fact>, Error> {
    let mut facts = Vec::new();
    let seats = indexes(&transaction.query(DROPPED, &[&event.0, &after]).await?)?;
    if !seats.is_empty() {
        facts.push(Fact::SeatsBlocked { seats, at });
    }
    let seats = indexes(&transaction.query(BACK, &[&event.0, &before, &after]).await?)?;
    if !seats.is_empty() {
        facts.push(Fact::SeatsUnblocked { seats, at });
    }
    let known: i32 = transaction.query_one(SEATS, &[&before]).await?.try_get(0)?;
    let seats: i32 = transaction.query_one(SEATS, &[&after]).await?.try_get(0)?;
    for from in (known..seats).step_by(CHUNK_SEATS.unsigned_abs() as usize) {
        let to = from.saturating_add(CHUNK_SEATS);
        transaction.execute(NEW_SEATS, &[&event.0, &after, &from, &to]).await?;
    }
    transaction.execute(NEW_AREAS, &[&event.0, &before, &after]).await?;
    for area in areas {
        transaction.execute(CAPACITY, &[&event.0, &area.section, &area.becomes]).await?;
        facts.push(Fact::CapacitySet {
            section: SectionIndex(area.section.unsigned_abs()),
            was: area.was.unsigned_abs(),
            becomes: area.becomes.unsigned_abs(),
            at,
        });
    }
    Ok(facts)
}

/// Gives what was never sold a tier.
pub(super) async fn price(
    transaction: &Client,
    event: EventNumber,
    tiers: &[SectionTier],
) -> Result<(), Error> {
    let sections: Vec<i16> = tiers.iter().map(|it| columns::place(it.section.into())).collect();
    let categories: Vec<i16> = tiers.iter().map(|it| category_number(it.category)).collect();
    let places: Vec<i16> = tiers.iter().map(|it| columns::place(it.tier.into())).collect();
    transaction.execute(TIERS, &[&event.0, &sections, &categories, &places]).await.map(drop)
}

/// In order.
fn indexes(rows: &[Row]) -> Result<Vec<SeatIndex>, Error> {
    let index = |row: &Row| Ok(SeatIndex(row.try_get::<_, i32>(0)?.unsigned_abs()));
    let mut seats: Vec<SeatIndex> = rows.iter().map(index).collect::<Result<_, Error>>()?;
    seats.sort_unstable();
    Ok(seats)
}
