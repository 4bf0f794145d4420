//! What a new plan would take from somebody.

use taquilla_engine::id::EventNumber;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use crate::keys;

/// Of dropped seats none is anybody's, but those that this version drops.
const SEATS: &str = "/* seats_in_the_way */ \
    SELECT p.label, s.state = 2 AS sold \
      FROM plan_seats p JOIN seats s ON s.seat_key = $1::integer::bigint * 1048576 + p.seat_index \
     WHERE p.plan_id = $2 AND p.dropped AND s.state IN (1, 2) ORDER BY p.seat_index";

const ASKED: &str = "/* seats_to_be_dropped */ \
    SELECT count(*) FROM plan_seats p JOIN plan_seats b USING (seat_index) \
     WHERE p.plan_id = $2 AND p.dropped AND b.plan_id = $1 AND NOT b.dropped";

/// Where the capacity is the same in both versions, an operator may have given the event another one, which
/// stays.
const AREAS: &str = "/* areas_that_change */ \
    SELECT n.section_no, n.name, g.held, g.sold, g.capacity, n.capacity \
      FROM plan_sections n JOIN plan_sections b USING (section_no) \
      JOIN general_areas g USING (section_no) \
     WHERE g.event_no = $1 AND b.plan_id = $2 AND n.plan_id = $3 AND n.capacity <> b.capacity \
     ORDER BY n.section_no";

/// Their owner writes them down within a second.
const OVERDUE: &str = "/* holds_overdue */ \
    SELECT EXISTS (SELECT FROM holds WHERE hold_id >= $1 AND hold_id < $2 AND status = 0 \
                      AND expires_at <= clock_timestamp())";

/// What the plan would take from somebody: all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InTheWay {
    /// Seats and places that are sold.
    pub sold: u32,
    /// Seats and places that are held.
    pub held: u32,
    /// Seats that the version drops, and places that there would be in the sections named.
    pub asked: u32,
    /// The seats, by their labels, in index order.
    pub seats: Vec<String>,
    /// General sections that have more in them than they would have room for.
    pub areas: Vec<AreaInTheWay>,
    /// Some of what is held may be so by holds that are over and not yet written down as such.
    pub overdue: bool,
}

/// A general section that has more in it than it would have room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AreaInTheWay {
    /// Its name.
    pub section: String,
    /// Places sold.
    pub sold: u32,
    /// Places held.
    pub held: u32,
    /// Places that there would be.
    pub asked: u32,
}

/// A general section that has another capacity in the new version.
pub(super) struct ChangedArea {
    pub(super) section: i16,
    name: String,
    held: i32,
    sold: i32,
    pub(super) was: i32,
    pub(super) becomes: i32,
}

pub(super) async fn changed_areas(
    transaction: &Client,
    event: EventNumber,
    before: Uuid,
    after: Uuid,
) -> Result<Vec<ChangedArea>, Error> {
    let rows = transaction.query(AREAS, &[&event.0, &before, &after]).await?;
    let area = |row: &tokio_postgres::Row| {
        Ok(ChangedArea {
            section: row.try_get(0)?,
            name: row.try_get(1)?,
            held: row.try_get(2)?,
            sold: row.try_get(3)?,
            was: row.try_get(4)?,
            becomes: row.try_get(5)?,
        })
    };
    rows.iter().map(area).collect()
}

/// Under the event's lock: nothing of it changes until the transaction ends.
pub(super) async fn find(
    transaction: &Client,
    event: EventNumber,
    before: Uuid,
    after: Uuid,
    areas: &[ChangedArea],
) -> Result<Option<InTheWay>, Error> {
    let mut found = InTheWay::default();
    for row in transaction.query(SEATS, &[&event.0, &after]).await? {
        found.seats.push(row.try_get(0)?);
        if row.try_get(1)? {
            found.sold += 1;
        } else {
            found.held += 1;
        }
    }
    for area in areas.iter().filter(|area| area.held + area.sold > area.becomes) {
        let [sold, held, asked] = [area.sold, area.held, area.becomes].map(i32::unsigned_abs);
        found.sold += sold;
        found.held += held;
        found.asked += asked;
        found.areas.push(AreaInTheWay { section: area.name.clone(), sold, held, asked });
    }
    if found.seats.is_empty() && found.areas.is_empty() {
        return Ok(None);
    }
    let dropped: i64 = transaction.query_one(ASKED, &[&before, &after]).await?.try_get(0)?;
    found.asked = found.asked.saturating_add(u32::try_from(dropped).unwrap_or(u32::MAX));
    let (first, beyond) = keys::ids(event);
    found.overdue = transaction.query_one(OVERDUE, &[&first, &beyond]).await?.try_get(0)?;
    Ok(Some(found))
}
