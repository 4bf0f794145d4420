//! Events in a list: soonest first, a page at a time. What lists are narrowed to is asked of memory.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;

use super::Catalogue;
use super::event::{EventSummary, read_summary, summary_columns};
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};
use crate::stamp::Stamp;

const LIST: &str = concat!(
    "/* list_events */ SELECT ",
    summary_columns!(),
    " FROM events e JOIN venues v USING (venue_id) \
     WHERE $1::timestamptz IS NULL OR (e.starts_at, e.event_no) > ($1, $2::integer) \
     ORDER BY e.starts_at, e.event_no LIMIT $3"
);

/// Where a page of events begins: after this one. Stable while events come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPosition {
    /// Events are listed by this,
    pub starts_at: Moment,
    /// and those of one instant by this.
    pub event: EventNumber,
}

impl Catalogue {
    /// The next `limit` events after the position, soonest first.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn events(
        &self,
        after: Option<EventPosition>,
        limit: u16,
    ) -> Result<Page<EventSummary, EventPosition>, DatabaseError> {
        let start = after.map(|position| Stamp(position.starts_at));
        let event = after.map(|position| position.event.0);
        let rows = self.database.read("list_events", async |client| {
            client.query(LIST, &[&start, &event, &one_more_than(limit)]).await
        });
        let events: Vec<EventSummary> =
            rows.await?.iter().map(read_summary).collect::<Result<_, _>>()?;
        Ok(Page::cut(events, limit, |event| EventPosition {
            starts_at: event.starts_at,
            event: event.id.event(),
        }))
    }
}
