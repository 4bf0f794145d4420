//! What seats and sections of an event are called: its history knows their numbers only.

use std::collections::{BTreeSet, HashMap};

use taquilla_engine::id::{EventNumber, SeatIndex, SectionIndex};
use tokio_postgres::types::{ToSql, Type};

use super::RelayRows;
use crate::columns;
use crate::database::DatabaseError;

const SECTIONS: &str = "/* section_names */ \
    SELECT section_no, s.name FROM plan_sections s JOIN events e USING (plan_id) WHERE e.event_no = $1";

const SEATS: &str = "/* seat_labels */ \
    SELECT seat_index, label FROM plan_seats JOIN events USING (plan_id) \
     WHERE event_no = $1 AND seat_index = ANY ($2)";

/// The names of some seats of an event, and of all its sections.
#[derive(Clone, Debug, Default)]
pub struct Names {
    seats: HashMap<u32, String>,
    sections: HashMap<u16, String>,
}

impl Names {
    /// The seat's label; its number, if there is no such seat.
    #[must_use]
    pub fn seat(&self, SeatIndex(seat): SeatIndex) -> String {
        self.seats.get(&seat).cloned().unwrap_or_else(|| seat.to_string())
    }

    /// The section's name; its number, if there is no such section.
    #[must_use]
    pub fn section(&self, SectionIndex(section): SectionIndex) -> String {
        self.sections.get(&section).cloned().unwrap_or_else(|| section.to_string())
    }
}

impl RelayRows {
    /// What these seats and all sections of the event are called.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn names(
        &self,
        event: EventNumber,
        seats: &BTreeSet<u32>,
    ) -> Result<Names, DatabaseError> {
        let seats: Vec<i32> = seats.iter().copied().map(columns::integer).collect();
        let read = self.database.read("names_of_event", async |client| {
            let sections = client.query_typed(SECTIONS, &[(&event.0, Type::INT4)]).await?;
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&event.0, Type::INT4), (&seats, Type::INT4_ARRAY)];
            Ok((sections, client.query_typed(SEATS, &params).await?))
        });
        let (section_rows, seat_rows) = read.await?;
        let mut names = Names::default();
        for row in &section_rows {
            let SectionIndex(section) = columns::section(row)?;
            names.sections.insert(section, columns::get(row, "name")?);
        }
        for row in &seat_rows {
            names
                .seats
                .insert(columns::count::<i32>(row, "seat_index")?, columns::get(row, "label")?);
        }
        Ok(names)
    }
}
