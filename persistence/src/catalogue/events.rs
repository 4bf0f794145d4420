//! Many events at once: for a process that starts, and for one that follows.

use taquilla_engine::id::EventNumber;

use super::Catalogue;
use super::event::{EventRecord, price_columns, read_event, record_of, sold_at};
use crate::columns::BrokenRow;
use crate::database::DatabaseError;

const THESE: &str =
    concat!("/* these_events */ ", record_of!(), " WHERE e.event_no = ANY ($1::integer[])");

impl Catalogue {
    /// Those of these that there are, in no order.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn these_events(
        &self,
        events: &[EventNumber],
    ) -> Result<Vec<EventRecord>, DatabaseError> {
        let numbers: Vec<i32> = events.iter().map(|event| event.0).collect();
        let rows = self
            .database
            .read("these_events", async |client| client.query(THESE, &[&numbers]).await);
        Ok(rows.await?.iter().map(read_event).collect::<Result<_, BrokenRow>>()?)
    }
}
