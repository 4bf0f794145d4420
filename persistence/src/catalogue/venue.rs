//! A venue as it is read.

use taquilla_engine::id::SeatIndex;
use taquilla_engine::plan::SectionKind;
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Catalogue, Reference};
use crate::database::DatabaseError;
use crate::rows::{self, BrokenRow};

const FIND: &str = "/* find_venue */ \
    SELECT venue_id, slug, name, city, country, lat, lon, timezone, capacity, \
           s.names, s.kinds, s.capacities, s.first_seats \
      FROM venues v \
     CROSS JOIN LATERAL ( \
           SELECT array_agg(name ORDER BY section_no) AS names, \
                  array_agg(kind ORDER BY section_no) AS kinds, \
                  array_agg(capacity ORDER BY section_no) AS capacities, \
                  array_agg(first_seat ORDER BY section_no) AS first_seats \
             FROM venue_sections s WHERE s.venue_id = v.venue_id) s \
     WHERE venue_id = $1 OR slug = $2";

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

    /// From four arrays of equal length: `names`, `kinds`, `capacities`, `first_seats`.
    pub(super) fn list(row: &Row) -> Result<Vec<VenueSection>, BrokenRow> {
        let names: Vec<String> = rows::get(row, "names")?;
        let kinds: Vec<i16> = rows::get(row, "kinds")?;
        let capacities: Vec<i32> = rows::get(row, "capacities")?;
        let first_seats: Vec<Option<i32>> = rows::get(row, "first_seats")?;
        let parts = names.into_iter().zip(kinds).zip(capacities).zip(first_seats);
        parts
            .map(|(((name, kind), capacity), first)| {
                let kind = kind_of(kind, capacity, first)
                    .ok_or_else(|| BrokenRow::new("kind", format!("section {name}")))?;
                Ok(VenueSection { name, kind })
            })
            .collect()
    }
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

impl Catalogue {
    /// The venue of this id or slug.
    pub async fn venue(&self, venue: &Reference) -> Result<Option<Venue>, DatabaseError> {
        let (id, slug) = venue.parts();
        let row =
            self.database.read(async |client| client.query_opt(FIND, &[&id, &slug]).await).await?;
        Ok(row.as_ref().map(read_venue).transpose()?)
    }
}

fn read_venue(row: &Row) -> Result<Venue, BrokenRow> {
    Ok(Venue {
        id: rows::get(row, "venue_id")?,
        slug: rows::get(row, "slug")?,
        name: rows::get(row, "name")?,
        city: rows::get(row, "city")?,
        country: rows::get(row, "country")?,
        lat: rows::get(row, "lat")?,
        lon: rows::get(row, "lon")?,
        timezone: rows::get(row, "timezone")?,
        capacity: rows::count::<i32>(row, "capacity")?,
        sections: VenueSection::list(row)?,
    })
}
