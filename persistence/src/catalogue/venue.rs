//! A venue as it is read, with a seating plan of it.

use tokio_postgres::Row;
use uuid::Uuid;

use super::seating_plan::{SeatingPlan, plan_columns, read_plan};
use super::{Catalogue, Reference};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

/// Of `venues v` and `seating_plans p`.
macro_rules! venue_columns {
    () => {
        concat!(
            "v.venue_id, v.slug, v.name, v.city, v.country, v.lat, v.lon, v.timezone, ",
            plan_columns!()
        )
    };
}
pub(super) use venue_columns;

/// The latest plan of the venue's first hall.
macro_rules! first_plan {
    () => {
        " FROM venues v \
         CROSS JOIN LATERAL ( \
               SELECT p.* FROM seating_plans f \
                 JOIN seating_plans p ON p.venue_id = f.venue_id \
                  AND normalize(p.hall, NFC) = normalize(f.hall, NFC) \
                WHERE f.venue_id = v.venue_id AND f.version = 1 \
                ORDER BY f.created_at, f.plan_id, p.version DESC LIMIT 1) p "
    };
}
pub(super) use first_plan;

const FIND: &str = concat!(
    "/* find_venue */ SELECT ",
    venue_columns!(),
    first_plan!(),
    "WHERE v.venue_id = $1 OR v.slug = $2"
);

/// Halls in the order in which they were made, versions in their own.
const PLANS: &str = concat!(
    "/* venue_plans */ SELECT ",
    venue_columns!(),
    " FROM venues v JOIN seating_plans f USING (venue_id) \
      JOIN seating_plans p ON p.venue_id = f.venue_id \
       AND normalize(p.hall, NFC) = normalize(f.hall, NFC) \
     WHERE (v.venue_id = $1 OR v.slug = $2) AND f.version = 1 \
     ORDER BY f.created_at, f.plan_id, p.version"
);

/// A venue with one of its plans.
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
    /// Of which hall and version, it says itself.
    pub plan: SeatingPlan,
}

impl Catalogue {
    /// The venue of this id or slug, with the latest plan of its first hall.
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

    /// The venue of this id or slug, once with every version of every hall: halls in the order in which
    /// they were made, versions in theirs. Empty if there is no such venue.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn venue_plans(&self, venue: &Reference) -> Result<Vec<Venue>, DatabaseError> {
        let (id, slug) = venue.parts();
        let rows = self
            .database
            .read("venue_plans", async |client| client.query(PLANS, &[&id, &slug]).await)
            .await?;
        Ok(rows.iter().map(read_venue).collect::<Result<_, _>>()?)
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
        plan: read_plan(row)?,
    })
}
