//! An event's seats as its plan needs them, in chunks: a million rows at once would be in memory
//! three times.

use std::collections::HashSet;
use std::sync::Arc;

use taquilla_engine::id::EventNumber;
use taquilla_engine::plan::{SeatPlan, Seats};
use tokio_postgres::{Client, Error, Row};

use super::prices::Prices;
use crate::columns::{self, BrokenRow};

/// Some 0.1 s each.
const CHUNK_SEATS: i32 = 50_000;

const SEATS: &str = "/* event_terms */ \
    SELECT label, row_label, x, y, accessible, section_no, category_no \
      FROM venue_seats JOIN events USING (venue_id) \
     WHERE event_no = $1 AND seat_index >= $2 AND seat_index < $3 ORDER BY seat_index";

/// All seats, in index order, at these prices.
pub(super) async fn read(
    client: &Client,
    event: EventNumber,
    prices: &Prices,
) -> Result<Result<Seats, BrokenRow>, Error> {
    let (mut seats, mut rows_known) = (Seats::default(), HashSet::new());
    let mut from: i32 = 0;
    loop {
        let to = from + CHUNK_SEATS;
        let chunk = client.query(SEATS, &[&event.0, &from, &to]).await?;
        if chunk.is_empty() {
            return Ok(Ok(seats));
        }
        for row in &chunk {
            match read_seat(row, prices, &mut rows_known) {
                Ok(seat) => seats.push(seat),
                Err(broken) => return Ok(Err(broken)),
            }
        }
        from = to;
    }
}

fn read_seat(
    row: &Row,
    prices: &Prices,
    rows_known: &mut HashSet<Arc<str>>,
) -> Result<SeatPlan, BrokenRow> {
    let name: &str = columns::get(row, "row_label")?;
    let shared = match rows_known.get(name) {
        Some(known) => Arc::clone(known),
        None => {
            let new: Arc<str> = name.into();
            rows_known.insert(Arc::clone(&new));
            new
        }
    };
    let section = columns::section(row)?;
    Ok(SeatPlan {
        label: columns::get::<&str>(row, "label")?.into(),
        row: shared,
        x: columns::get(row, "x")?,
        y: columns::get(row, "y")?,
        accessible: columns::get(row, "accessible")?,
        section,
        tier: prices.tier(section, columns::get(row, "category_no")?)?,
    })
}
