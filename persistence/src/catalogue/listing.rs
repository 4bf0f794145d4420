//! Events in a list: soonest first, filtered, a page at a time.
//!
//! Filters look at every event. There are thousands at most, and an index for text or place would
//! want an extension of the server.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;

use super::event::{EventSummary, read_summary, summary_columns};
use super::{Catalogue, Reference};
use crate::database::DatabaseError;
use crate::page::{Page, one_more_than};
use crate::rows;

/// The distance is the haversine formula's, on a sphere of 6,371 km.
const LIST: &str = concat!(
    "/* list_events */ SELECT ",
    summary_columns!(),
    " FROM events e JOIN venues v USING (venue_id) \
     WHERE ($1::timestamptz IS NULL OR (e.starts_at, e.event_no) > ($1, $2::integer)) \
       AND ($3::timestamptz IS NULL OR e.starts_at >= $3) \
       AND ($4::timestamptz IS NULL OR e.starts_at <= $4) \
       AND ($5::text IS NULL OR e.category = $5) \
       AND ($6::double precision IS NULL OR 2 * 6371 * asin(least(1, sqrt( \
               sind((v.lat - $6) / 2) ^ 2 \
             + cosd(v.lat) * cosd($6) * sind((v.lon - $7::double precision) / 2) ^ 2))) \
             <= $8::double precision) \
       AND (($9::uuid IS NULL AND $10::text IS NULL) OR EXISTS ( \
               SELECT FROM event_artists JOIN artists a USING (artist_id) \
                WHERE event_no = e.event_no AND (artist_id = $9 OR a.slug = $10))) \
       AND ($11::text IS NULL \
            OR position(lower($11) IN lower(concat_ws(' ', e.name, v.name, v.city))) > 0 \
            OR EXISTS ( \
               SELECT FROM event_artists JOIN artists a USING (artist_id) \
                WHERE event_no = e.event_no AND position(lower($11) IN lower(a.name)) > 0)) \
     ORDER BY e.starts_at, e.event_no LIMIT $12"
);

/// What a list of events is narrowed to; everything unless said.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Part of the name of the event, the venue, its city or an artist, in any case.
    pub text: Option<String>,
    /// Not farther than this.
    pub near: Option<Near>,
    /// Exactly this category.
    pub category: Option<String>,
    /// With this artist.
    pub artist: Option<Reference>,
    /// Beginning here or later.
    pub from: Option<Moment>,
    /// Beginning here or earlier.
    pub to: Option<Moment>,
}

/// A circle on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
    /// Kilometres.
    pub radius_km: f64,
}

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
    pub async fn events(
        &self,
        filter: &EventFilter,
        after: Option<EventPosition>,
        limit: u16,
    ) -> Result<Page<EventSummary, EventPosition>, DatabaseError> {
        let after_start = after.map(|position| rows::timestamp(position.starts_at));
        let after_event = after.map(|position| position.event.0);
        let (from, to) = (filter.from.map(rows::timestamp), filter.to.map(rows::timestamp));
        let lat = filter.near.map(|near| near.lat);
        let lon = filter.near.map(|near| near.lon);
        let radius = filter.near.map(|near| near.radius_km);
        let (artist_id, artist_slug) =
            filter.artist.as_ref().map_or((None, None), Reference::parts);
        let rows = self.database.read(async |client| {
            let params: [&(dyn tokio_postgres::types::ToSql + Sync); 12] = [
                &after_start,
                &after_event,
                &from,
                &to,
                &filter.category,
                &lat,
                &lon,
                &radius,
                &artist_id,
                &artist_slug,
                &filter.text,
                &one_more_than(limit),
            ];
            client.query(LIST, &params).await
        });
        let events: Vec<EventSummary> =
            rows.await?.iter().map(read_summary).collect::<Result<_, _>>()?;
        Ok(Page::cut(events, limit, |event| EventPosition {
            starts_at: event.starts_at,
            event: event.id.event(),
        }))
    }
}
