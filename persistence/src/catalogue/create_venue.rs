//! Making a venue: three tables and the trail, in one transaction of four statements.

use serde_json::json;
use taquilla_engine::plan::SectionKind;
use tokio_postgres::{Client, Error};

use super::new_venue::{NewVenue, SectionRoom};
use super::venue::Venue;
use super::{Catalogue, CreateError};
use crate::operator_action::OperatorAction;
use crate::rows;

const VENUE: &str = "/* create_venue */ \
    INSERT INTO venues (venue_id, slug, name, city, country, lat, lon, timezone, capacity) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const SECTIONS: &str = "/* create_venue */ \
    INSERT INTO venue_sections (venue_id, section_no, name, kind, capacity, first_seat) \
    SELECT $1, section_no - 1, name, kind, capacity, first_seat \
      FROM unnest($2::text[], $3::smallint[], $4::integer[], $5::integer[]) \
           WITH ORDINALITY AS s (name, kind, capacity, first_seat, section_no)";

const SEATS: &str = "/* create_venue */ \
    INSERT INTO venue_seats \
           (venue_id, seat_index, section_no, label, row_label, seat_label, x, y, accessible) \
    SELECT $1, seat_index - 1, section_no, label, row_label, seat_label, x, y, accessible \
      FROM unnest($2::smallint[], $3::text[], $4::text[], $5::text[], \
                  $6::real[], $7::real[], $8::boolean[]) \
           WITH ORDINALITY AS s \
           (section_no, label, row_label, seat_label, x, y, accessible, seat_index)";

impl Catalogue {
    /// Makes the venue, its sections and seats, and the trail's row.
    ///
    /// Not idempotent: repeated with the same id or slug it is [`CreateError::SlugTaken`].
    pub async fn create_venue(
        &self,
        new: &NewVenue,
        action: &OperatorAction,
    ) -> Result<Venue, CreateError> {
        let venue = new.venue();
        let columns = SeatColumns::of(new);
        self.database
            .write("create_venue", async |transaction| {
                insert_venue(&transaction, &venue).await?;
                insert_sections(&transaction, &venue).await?;
                columns.insert(&transaction, &venue).await?;
                let detail = json!({"venue_id": venue.id, "slug": venue.slug});
                action.record(&transaction, None, "create_venue", &detail).await
            })
            .await?;
        Ok(venue)
    }
}

async fn insert_venue(transaction: &Client, venue: &Venue) -> Result<(), Error> {
    let capacity = i64::from(venue.capacity);
    let capacity = i32::try_from(capacity).unwrap_or(i32::MAX);
    transaction
        .execute(
            VENUE,
            &[
                &venue.id,
                &venue.slug,
                &venue.name,
                &venue.city,
                &venue.country,
                &venue.lat,
                &venue.lon,
                &venue.timezone,
                &capacity,
            ],
        )
        .await
        .map(drop)
}

async fn insert_sections(transaction: &Client, venue: &Venue) -> Result<(), Error> {
    let names: Vec<&str> = venue.sections.iter().map(|section| section.name.as_str()).collect();
    let mut kinds: Vec<i16> = Vec::with_capacity(names.len());
    let mut capacities: Vec<i32> = Vec::with_capacity(names.len());
    let mut first_seats: Vec<Option<i32>> = Vec::with_capacity(names.len());
    for section in &venue.sections {
        let (kind, first_seat) = match section.kind {
            SectionKind::Seated { first, .. } => (0, Some(integer(first.0))),
            SectionKind::General { .. } => (1, None),
        };
        kinds.push(kind);
        capacities.push(integer(section.capacity()));
        first_seats.push(first_seat);
    }
    transaction
        .execute(SECTIONS, &[&venue.id, &names, &kinds, &capacities, &first_seats])
        .await
        .map(drop)
}

/// The seats, a column a vector: one statement writes 60,000 of them.
#[derive(Default)]
struct SeatColumns<'a> {
    sections: Vec<i16>,
    labels: Vec<&'a str>,
    rows: Vec<&'a str>,
    seats: Vec<&'a str>,
    xs: Vec<f32>,
    ys: Vec<f32>,
    accessible: Vec<bool>,
}

impl<'a> SeatColumns<'a> {
    fn of(new: &'a NewVenue) -> SeatColumns<'a> {
        let mut columns = SeatColumns::default();
        for (section, new) in new.sections.iter().enumerate() {
            let SectionRoom::Seated(seats) = &new.room else { continue };
            for seat in seats {
                columns.sections.push(rows::place(section));
                columns.labels.push(&seat.label);
                columns.rows.push(&seat.row);
                columns.seats.push(&seat.seat);
                columns.xs.push(seat.x);
                columns.ys.push(seat.y);
                columns.accessible.push(seat.accessible);
            }
        }
        columns
    }

    async fn insert(&self, transaction: &Client, venue: &Venue) -> Result<(), Error> {
        transaction
            .execute(
                SEATS,
                &[
                    &venue.id,
                    &self.sections,
                    &self.labels,
                    &self.rows,
                    &self.seats,
                    &self.xs,
                    &self.ys,
                    &self.accessible,
                ],
            )
            .await
            .map(drop)
    }
}

/// Beyond an `integer` the schema's own bounds refuse it.
fn integer(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
