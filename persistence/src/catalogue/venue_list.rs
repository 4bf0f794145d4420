//! Venues in a list: newest first, a page at a time. There are few; no index is wanted.

use taquilla_engine::moment::Moment;
use uuid::Uuid;

use super::Catalogue;
use super::seating_plan::plan_columns;
use super::venue::{Venue, first_plan, read_venue, venue_columns};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};
use crate::stamp::Stamp;

const LIST: &str = concat!(
    "/* list_venues */ SELECT v.created_at, ",
    venue_columns!(),
    first_plan!(),
    "WHERE $1::timestamptz IS NULL \
         OR v.created_at < $1 OR (v.created_at = $1 AND v.venue_id > $2::uuid) \
      ORDER BY v.created_at DESC, v.venue_id LIMIT $3"
);

/// Where a page of venues begins: after this one. Stable while venues are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VenuePosition {
    /// Venues are listed by this, newest first,
    pub created_at: Moment,
    /// and those of one instant by this.
    pub venue: Uuid,
}

impl Catalogue {
    /// The next `limit` venues after the position, newest first.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn venues(
        &self,
        after: Option<VenuePosition>,
        limit: u16,
    ) -> Result<Page<Venue, VenuePosition>, DatabaseError> {
        let time = after.map(|position| Stamp(position.created_at));
        let id = after.map(|position| position.venue);
        let rows = self.database.read("list_venues", async |client| {
            client.query(LIST, &[&time, &id, &one_more_than(limit)]).await
        });
        let read = |row| Ok((read_venue(row)?, columns::moment(row, "created_at")?));
        let venues = rows.await?.iter().map(read).collect::<Result<Vec<_>, BrokenRow>>()?;
        let page = Page::cut(venues, limit, |(venue, created_at)| VenuePosition {
            created_at: *created_at,
            venue: venue.id,
        });
        let items = page.items.into_iter().map(|(venue, _)| venue).collect();
        Ok(Page { items, next: page.next })
    }
}
