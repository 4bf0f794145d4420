//! Where a plan's seats lie: for the seat map, and for whoever makes the hall's next version.

use taquilla_engine::id::SectionIndex;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Catalogue;
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::pool::PooledClient;

/// Of one statement: some 0.1 s.
const CHUNK_SEATS: i32 = 50_000;

const SEATS: &str = "/* seat_geometry */ \
    SELECT section_no, label, row_label, seat_label, x, y, accessible, category_no, \
           dropped \
      FROM plan_seats WHERE plan_id = $1 AND seat_index >= $2 AND seat_index < $3 \
     ORDER BY seat_index";

/// One seat on the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatGeometry {
    /// Where it belongs.
    pub section: SectionIndex,
    /// Unique in the plan.
    pub label: String,
    /// The row's name.
    pub row: String,
    /// The seat's name in its row.
    pub seat: String,
    /// In the plan's own unit.
    pub x: f32,
    /// In the plan's own unit.
    pub y: f32,
    /// Fit for a wheelchair.
    pub accessible: bool,
    /// Its place in the plan's list of categories, if it has one.
    pub category: Option<u16>,
    /// An earlier version of the hall had it, and this one has not.
    pub dropped: bool,
}

impl Catalogue {
    /// All seats of the plan, in index order, dropped ones too; none if there is no such plan.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn seat_geometry(&self, plan: Uuid) -> Result<Vec<SeatGeometry>, DatabaseError> {
        let (mut seats, mut from) = (Vec::new(), 0);
        loop {
            let to = from + CHUNK_SEATS;
            let read = async |client: PooledClient| client.query(SEATS, &[&plan, &from, &to]).await;
            let rows = self.database.read("seat_geometry", read).await?;
            if rows.is_empty() {
                return Ok(seats);
            }
            for row in &rows {
                seats.push(read_seat(row)?);
            }
            from = to;
        }
    }
}

fn read_seat(row: &Row) -> Result<SeatGeometry, BrokenRow> {
    Ok(SeatGeometry {
        section: columns::section(row)?,
        label: columns::get(row, "label")?,
        row: columns::get(row, "row_label")?,
        seat: columns::get(row, "seat_label")?,
        x: columns::get(row, "x")?,
        y: columns::get(row, "y")?,
        accessible: columns::get(row, "accessible")?,
        category: columns::parse(row, "category_no", columns::category)?,
        dropped: columns::get(row, "dropped")?,
    })
}
