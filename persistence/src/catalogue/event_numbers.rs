//! Which events there are: for a process that starts.

use taquilla_engine::id::EventNumber;

use super::Catalogue;
use crate::database::DatabaseError;
use crate::rows;

const NUMBERS: &str = "/* all_event_numbers */ SELECT event_no FROM events ORDER BY event_no";

/// Buyers' own counts: a row a buyer instead of a row a seat. Overdue holds count until written.
const TAKEN: &str = "/* seats_taken */ \
    SELECT event_no, sum(seats) AS taken FROM buyers WHERE event_no = ANY ($1) GROUP BY event_no";

impl Catalogue {
    /// Every event's number, oldest first.
    pub async fn all_event_numbers(&self) -> Result<Vec<EventNumber>, DatabaseError> {
        let rows = self.database.read(async |client| client.query(NUMBERS, &[]).await).await?;
        Ok(rows.iter().map(rows::event).collect::<Result<_, _>>()?)
    }

    /// How many seats and places of these events are held or sold, about; events of which nobody
    /// ever took any are left out. A hint where no live map is at hand.
    pub async fn seats_taken(
        &self,
        events: &[EventNumber],
    ) -> Result<Vec<(EventNumber, u32)>, DatabaseError> {
        let numbers: Vec<i32> = events.iter().map(|event| event.0).collect();
        let rows =
            self.database.read(async |client| client.query(TAKEN, &[&numbers]).await).await?;
        let counts =
            rows.iter().map(|row| Ok((rows::event(row)?, rows::count::<i64>(row, "taken")?)));
        counts.collect()
    }
}
