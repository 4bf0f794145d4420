//! Which events there are: for a process that starts.

use taquilla_engine::id::EventNumber;

use super::Catalogue;
use crate::columns;
use crate::database::DatabaseError;

const NUMBERS: &str = "/* all_event_numbers */ SELECT event_no FROM events ORDER BY event_no";

impl Catalogue {
    /// Every event's number, oldest first.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn all_event_numbers(&self) -> Result<Vec<EventNumber>, DatabaseError> {
        let rows = self
            .database
            .read("all_event_numbers", async |client| client.query(NUMBERS, &[]).await)
            .await?;
        Ok(rows.iter().map(columns::event).collect::<Result<_, _>>()?)
    }
}
