//! A venue as it is read.

use taquilla_engine::id::SeatIndex;
use taquilla_engine::plan::SectionKind;
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Catalogue, Reference};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// Of `venues v`, with its sections and categories.
macro_rules! venue_columns {
    () => {
        "v.venue_id, v.slug, v.name, v.city, v.country, v.lat, v.lon, v.timezone, v.capacity, \
         ARRAY(SELECT c.name FROM venue_categories c WHERE c.venue_id = v.venue_id \
                ORDER BY category_no) AS categories, \
         ARRAY(SELECT section_no FROM venue_section_categories c WHERE c.venue_id = v.venue_id \
                ORDER BY section_no, category_no) AS section_nos, \
         ARRAY(SELECT category_no FROM venue_section_categories c WHERE c.venue_id = v.venue_id \
                ORDER BY section_no, category_no) AS category_nos, \
         s.names, s.kinds, s.capacities, s.first_seats \
    FROM venues v \
   CROSS JOIN LATERAL ( \
         SELECT array_agg(s.name ORDER BY section_no) AS names, \
                array_agg(kind ORDER BY section_no) AS kinds, \
                array_agg(s.capacity ORDER BY section_no) AS capacities, \
                array_agg(first_seat ORDER BY section_no) AS first_seats \
           FROM venue_sections s WHERE s.venue_id = v.venue_id) s"
    };
}
pub(super) use venue_columns;

const FIND: &str =
    concat!("/* find_venue */ SELECT ", venue_columns!(), " WHERE v.venue_id = $1 OR v.slug = $2");

/// A venue and its sections.
#[derive(Clone, Debug, PartialEq)]
pub struct Venue {
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
    /// An IANA name.
    pub timezone: String,
    /// Seats and places in all.
    pub capacity: u32,
    /// Kinds of seats that its plan tells apart by name; none for a plan by rows.
    pub categories: Vec<String>,
    /// In index order.
    pub sections: Vec<VenueSection>,
}

/// One section of a venue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VenueSection {
    /// Unique in the venue.
    pub name: String,
    /// Its seats' range, or how many places.
    pub kind: SectionKind,
    /// Those that its seats have, as places in the venue's list, ascending; none if they have none.
    pub categories: Vec<u16>,
}

impl VenueSection {
    /// Seats or places.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        match self.kind {
            SectionKind::Seated { seats, .. } => seats,
            SectionKind::General { capacity } => capacity,
        }
    }
}

/// Names and kinds, from four arrays of equal length: `names`, `kinds`, `capacities`, `first_seats`.
pub(super) fn section_shapes(row: &Row) -> Result<Vec<(String, SectionKind)>, BrokenRow> {
    let names: Vec<String> = columns::get(row, "names")?;
    let kinds: Vec<i16> = columns::get(row, "kinds")?;
    let capacities: Vec<i32> = columns::get(row, "capacities")?;
    let first_seats: Vec<Option<i32>> = columns::get(row, "first_seats")?;
    let parts = names.into_iter().zip(kinds).zip(capacities).zip(first_seats);
    parts
        .map(|(((name, kind), capacity), first)| {
            let kind = kind_of(kind, capacity, first)
                .ok_or_else(|| BrokenRow::new("kind", format!("section {name}")))?;
            Ok((name, kind))
        })
        .collect()
}

/// 0 seated, 1 general, as the schema says.
fn kind_of(kind: i16, capacity: i32, first_seat: Option<i32>) -> Option<SectionKind> {
    let capacity = u32::try_from(capacity).ok()?;
    match (kind, first_seat) {
        (0, Some(first)) => {
            let first = SeatIndex(u32::try_from(first).ok()?);
            Some(SectionKind::Seated { first, seats: capacity })
        }
        (1, None) => Some(SectionKind::General { capacity }),
        _ => None,
    }
}

/// A category's number in the schema: from 1, and 0 for none.
pub(super) fn category_number(category: Option<u16>) -> i16 {
    category.map_or(0, |category| columns::place(usize::from(category) + 1))
}

impl Catalogue {
    /// The venue of this id or slug.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn venue(&self, venue: &Reference) -> Result<Option<Venue>, DatabaseError> {
        let (id, slug) = venue.parts();
        let row = self
            .database
            .read("find_venue", async |client| client.query_opt(FIND, &[&id, &slug]).await)
            .await?;
        Ok(row.as_ref().map(read_venue).transpose()?)
    }
}

pub(super) fn read_venue(row: &Row) -> Result<Venue, BrokenRow> {
    Ok(Venue {
        id: columns::get(row, "venue_id")?,
        slug: columns::get(row, "slug")?,
        name: columns::get(row, "name")?,
        city: columns::get(row, "city")?,
        country: columns::get(row, "country")?,
        lat: columns::get(row, "lat")?,
        lon: columns::get(row, "lon")?,
        timezone: columns::get(row, "timezone")?,
        capacity: columns::count::<i32>(row, "capacity")?,
        categories: columns::get(row, "categories")?,
        sections: read_sections(row)?,
    })
}

fn read_sections(row: &Row) -> Result<Vec<VenueSection>, BrokenRow> {
    let section = |(name, kind)| VenueSection { name, kind, categories: Vec::new() };
    let mut sections: Vec<_> = section_shapes(row)?.into_iter().map(section).collect();
    let section_nos: Vec<i16> = columns::get(row, "section_nos")?;
    let category_nos: Vec<i16> = columns::get(row, "category_nos")?;
    for (section, category) in section_nos.into_iter().zip(category_nos) {
        let stray = || BrokenRow::new("category_no", format!("{category} of section {section}"));
        let section = usize::try_from(section).ok().and_then(|no| sections.get_mut(no));
        // Numbered from 1 in the schema.
        let category = u16::try_from(category).ok().and_then(|no| no.checked_sub(1));
        section.ok_or_else(stray)?.categories.push(category.ok_or_else(stray)?);
    }
    Ok(sections)
}
