//! A new venue's categories and sections: a column a vector, a statement a table.

use taquilla_engine::plan::SectionKind;
use tokio_postgres::{Client, Error};

use super::super::venue::{Venue, category_number};
use crate::columns;

const CATEGORIES: &str = "/* create_venue */ \
    INSERT INTO venue_categories (venue_id, category_no, name) \
    SELECT $1, category_no, name \
      FROM unnest($2::text[]) WITH ORDINALITY AS c (name, category_no)";

const SECTIONS: &str = "/* create_venue */ \
    INSERT INTO venue_sections (venue_id, section_no, name, kind, capacity, first_seat) \
    SELECT $1, section_no - 1, name, kind, capacity, first_seat \
      FROM unnest($2::text[], $3::smallint[], $4::integer[], $5::integer[]) \
           WITH ORDINALITY AS s (name, kind, capacity, first_seat, section_no)";

const SECTION_CATEGORIES: &str = "/* create_venue */ \
    INSERT INTO venue_section_categories (venue_id, section_no, category_no) \
    SELECT $1, section_no, category_no \
      FROM unnest($2::smallint[], $3::smallint[]) AS s (section_no, category_no)";

pub(super) async fn insert(transaction: &Client, venue: &Venue) -> Result<(), Error> {
    transaction.execute(CATEGORIES, &[&venue.id, &venue.categories]).await?;
    insert_sections(transaction, venue).await?;
    let mut sections: Vec<i16> = Vec::new();
    let mut categories: Vec<i16> = Vec::new();
    for (place, section) in venue.sections.iter().enumerate() {
        sections.extend(section.categories.iter().map(|_| columns::place(place)));
        categories
            .extend(section.categories.iter().map(|category| category_number(Some(*category))));
    }
    transaction.execute(SECTION_CATEGORIES, &[&venue.id, &sections, &categories]).await.map(drop)
}

async fn insert_sections(transaction: &Client, venue: &Venue) -> Result<(), Error> {
    let names: Vec<&str> = venue.sections.iter().map(|section| section.name.as_str()).collect();
    let mut kinds: Vec<i16> = Vec::with_capacity(names.len());
    let mut capacities: Vec<i32> = Vec::with_capacity(names.len());
    let mut first_seats: Vec<Option<i32>> = Vec::with_capacity(names.len());
    for section in &venue.sections {
        let (kind, first_seat) = match section.kind {
            SectionKind::Seated { first, .. } => (0, Some(columns::integer(first.0))),
            SectionKind::General { .. } => (1, None),
        };
        kinds.push(kind);
        capacities.push(columns::integer(section.capacity()));
        first_seats.push(first_seat);
    }
    transaction
        .execute(SECTIONS, &[&venue.id, &names, &kinds, &capacities, &first_seats])
        .await
        .map(drop)
}
