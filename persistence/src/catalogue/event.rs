//! An event as buyers read it.

use taquilla_engine::id::EventId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::plan::{SectionKind, Tier};
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;
use tokio_postgres::Row;
use uuid::Uuid;

use super::artist::Artist;
use super::seating_plan::{section_capacities, section_shapes};
use super::terms;
use super::{Catalogue, Reference};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// Whether the event `e` sells anything at this row of `event_section_tiers`: those of what its plan has
/// dropped stay.
macro_rules! sold_at {
    ($row:literal) => {
        concat!(
            "EXISTS (SELECT FROM plan_sections n WHERE n.plan_id = e.plan_id \
                        AND n.section_no = ",
            $row,
            ".section_no AND n.capacity > 0) \
             AND CASE ",
            $row,
            ".category_no \
                 WHEN 0 THEN NOT EXISTS (SELECT FROM plan_section_categories c \
                      WHERE c.plan_id = e.plan_id AND c.section_no = ",
            $row,
            ".section_no) \
                 ELSE EXISTS (SELECT FROM plan_section_categories c \
                      WHERE c.plan_id = e.plan_id AND c.section_no = ",
            $row,
            ".section_no \
                        AND c.category_no = ",
            $row,
            ".category_no) END"
        )
    };
}

pub(super) use sold_at;

/// Tiers and fees of the event `e`, each a list in its order.
macro_rules! price_columns {
    () => {
        "ARRAY(SELECT name FROM event_tiers t WHERE t.event_no = e.event_no \
              ORDER BY tier_no) AS tier_names, \
       ARRAY(SELECT price FROM event_tiers t WHERE t.event_no = e.event_no \
              ORDER BY tier_no) AS tier_prices, \
       ARRAY(SELECT name FROM event_fees f WHERE f.event_no = e.event_no \
              ORDER BY place) AS fee_names, \
       ARRAY(SELECT percent FROM event_fees f WHERE f.event_no = e.event_no \
              ORDER BY place) AS fee_percents, \
       ARRAY(SELECT fixed FROM event_fees f WHERE f.event_no = e.event_no \
              ORDER BY place) AS fee_fixed"
    };
}
pub(super) use price_columns;

/// An event with everything; a condition on `e` follows. `now()` is before what is seen.
macro_rules! record_of {
    () => {
        concat!(
            "SELECT e.event_id, e.event_no, e.slug, e.name, e.category, e.starts_at, e.currency, \
           e.opens_at, e.closes_at, e.hold_ttl_seconds, e.buyer_seats_max, e.waiting_room, \
           e.paused, e.verifying_extension_seconds, e.cancelled, e.description, e.conditions, \
           v.venue_id, v.slug AS venue_slug, v.name AS venue_name, v.city, v.country, v.lat, v.lon, \
           v.timezone, p.plan_id, p.hall, p.version, p.capacity, now() AS as_of, \
           a.artist_ids, a.artist_slugs, a.artist_names, ",
            price_columns!(),
            ", \
           s.names, s.kinds, s.sizes, s.capacities, s.first_seats, s.prices, s.from_price \
      FROM events e JOIN venues v USING (venue_id) JOIN seating_plans p USING (plan_id) \
     CROSS JOIN LATERAL ( \
           SELECT coalesce(array_agg(artist_id ORDER BY place), '{}') AS artist_ids, \
                  coalesce(array_agg(slug ORDER BY place), '{}') AS artist_slugs, \
                  coalesce(array_agg(name ORDER BY place), '{}') AS artist_names \
             FROM event_artists JOIN artists USING (artist_id) WHERE event_no = e.event_no) a \
     CROSS JOIN LATERAL ( \
           SELECT array_agg(s.name ORDER BY s.section_no) AS names, \
                  array_agg(kind ORDER BY s.section_no) AS kinds, \
                  array_agg(coalesce(s.seats, g.capacity, s.capacity) ORDER BY s.section_no) AS sizes, \
                  array_agg(coalesce(g.capacity, s.capacity) ORDER BY s.section_no) AS capacities, \
                  array_agg(first_seat ORDER BY s.section_no) AS first_seats, \
                  array_agg(price ORDER BY s.section_no) AS prices, min(price) AS from_price \
             FROM plan_sections s \
             LEFT JOIN (SELECT section_no, min(price) AS price \
                     FROM event_section_tiers r JOIN event_tiers t USING (event_no, tier_no) \
                    WHERE event_no = e.event_no AND ",
            sold_at!("r"),
            " GROUP BY section_no) q USING (section_no) \
             LEFT JOIN general_areas g ON g.event_no = e.event_no AND g.section_no = s.section_no \
            WHERE s.plan_id = e.plan_id) s"
        )
    };
}
pub(super) use record_of;

const FIND: &str =
    concat!("/* find_event */ ", record_of!(), " WHERE e.event_id = $1 OR e.slug = $2");

/// An event in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSummary {
    /// Its id, which carries its number.
    pub id: EventId,
    /// Serves in the id's place.
    pub slug: String,
    /// As printed.
    pub name: String,
    /// One word.
    pub category: String,
    /// When it begins.
    pub starts_at: Moment,
    /// Where.
    pub venue: VenueSummary,
    /// Who plays, in order.
    pub artists: Vec<Artist>,
    /// Of all its prices.
    pub currency: Currency,
    /// The cheapest seat or place.
    pub from_price: Money,
    /// When and on what terms.
    pub sale: Sale,
    /// Its seating plan,
    pub plan: Uuid,
    /// which is of this hall,
    pub hall: String,
    /// and this version of it.
    pub plan_version: u32,
    /// Seats and places of the plan in all, blocked ones included.
    pub capacity: u32,
    /// The database's clock at the read.
    pub as_of: Moment,
}

/// A venue in an event.
#[derive(Clone, Debug, PartialEq)]
pub struct VenueSummary {
    /// Its id.
    pub id: Uuid,
    /// Serves in the id's place.
    pub slug: String,
    /// As printed.
    pub name: String,
    /// As printed.
    pub city: String,
    /// Two capital letters.
    pub country: String,
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
}

/// An event with everything that its page shows, but how many seats are left.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// What lists show too.
    pub summary: EventSummary,
    /// As printed.
    pub description: String,
    /// The venue's IANA time zone.
    pub timezone: String,
    /// Small print.
    pub conditions: String,
    /// In the event's order.
    pub fees: Vec<Fee>,
    /// In the event's order.
    pub tiers: Vec<Tier>,
    /// In index order.
    pub sections: Vec<EventSection>,
}

/// A section of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSection {
    /// Unique in the event.
    pub name: String,
    /// Its seats' range, dropped ones too, or how many places.
    pub kind: SectionKind,
    /// Seats or places.
    pub capacity: u32,
    /// The cheapest in it; none in a section that the event's plan has dropped.
    pub price_from: Option<Money>,
}

impl Catalogue {
    /// The event of this id or slug.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn event(&self, event: &Reference) -> Result<Option<EventRecord>, DatabaseError> {
        let (id, slug) = event.parts();
        let row = self.database.read("find_event", async |client| {
            client.query_opt(FIND, &[&id, &slug]).await //
        });
        let row = row.await?;
        Ok(row.as_ref().map(read_event).transpose()?)
    }
}

pub(super) fn read_event(row: &Row) -> Result<EventRecord, BrokenRow> {
    let summary = read_summary(row)?;
    Ok(EventRecord {
        description: columns::get(row, "description")?,
        timezone: columns::get(row, "timezone")?,
        conditions: columns::get(row, "conditions")?,
        fees: terms::read_fees(row)?,
        tiers: terms::read_tiers(row)?,
        sections: read_sections(row, summary.currency)?,
        summary,
    })
}

fn read_summary(row: &Row) -> Result<EventSummary, BrokenRow> {
    let currency = columns::currency(row)?;
    Ok(EventSummary {
        id: columns::id(row, "event_id", EventId::parse)?,
        slug: columns::get(row, "slug")?,
        name: columns::get(row, "name")?,
        category: columns::get(row, "category")?,
        starts_at: columns::moment(row, "starts_at")?,
        venue: VenueSummary {
            id: columns::get(row, "venue_id")?,
            slug: columns::get(row, "venue_slug")?,
            name: columns::get(row, "venue_name")?,
            city: columns::get(row, "city")?,
            country: columns::get(row, "country")?,
            lat: columns::get(row, "lat")?,
            lon: columns::get(row, "lon")?,
        },
        artists: Artist::list(row)?,
        currency,
        from_price: Money { amount: columns::get(row, "from_price")?, currency },
        sale: terms::read_sale(row)?,
        plan: columns::get(row, "plan_id")?,
        hall: columns::get(row, "hall")?,
        plan_version: columns::count::<i32>(row, "version")?,
        capacity: columns::count::<i32>(row, "capacity")?,
        as_of: columns::moment(row, "as_of")?,
    })
}

fn read_sections(row: &Row, currency: Currency) -> Result<Vec<EventSection>, BrokenRow> {
    let prices: Vec<Option<i64>> = columns::get(row, "prices")?;
    let (shapes, capacities) = (section_shapes(row)?, section_capacities(row)?);
    columns::same_length("prices", [shapes.len(), prices.len(), capacities.len()])?;
    let sections = shapes.into_iter().zip(capacities).zip(prices);
    Ok(sections
        .map(|(((name, kind), capacity), price)| EventSection {
            name,
            kind,
            capacity,
            price_from: price.map(|amount| Money { amount, currency }),
        })
        .collect())
}
