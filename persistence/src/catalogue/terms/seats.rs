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
    SELECT label, row_label, x, y, accessible, section_no, category_no, dropped \
      FROM plan_seats JOIN events USING (plan_id) \
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
                Ok((seat, true)) => seats.push_dropped(seat),
                Ok((seat, false)) => seats.push(seat),
                Err(broken) => return Ok(Err(broken)),
            }
        }
        from = to;
    }
}

/// A seat, and whether the plan has dropped it.
fn read_seat(
    row: &Row,
    prices: &Prices,
    rows_known: &mut HashSet<Arc<str>>,
) -> Result<(SeatPlan, bool), BrokenRow> {
    let name: &str = columns::get(row, "row_label")?;
    let shared = match rows_known.get(name) {
        Some(known) => Arc::clone(known),
        None => {
            let new: Arc<str> = name.into();
            rows_known.insert(Arc::clone(&new));
            new
        }
    };
    let (section, category) = (columns::section(row)?, columns::get(row, "category_no")?);
    let dropped = columns::get(row, "dropped")?;
    let tier = if dropped {
        prices.tier_of_dropped(section, category)
    } else {
        prices.tier(section, category)?
    };
    let seat = SeatPlan {
        label: columns::get::<&str>(row, "label")?.into(),
        row: shared,
        x: columns::get(row, "x")?,
        y: columns::get(row, "y")?,
        accessible: columns::get(row, "accessible")?,
        section,
        tier,
    };
    Ok((seat, dropped))
}
