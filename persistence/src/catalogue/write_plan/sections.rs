//! A new plan's categories and sections: a column a vector, a statement a table.

use taquilla_engine::plan::SectionKind;
use tokio_postgres::{Client, Error};

use super::super::seating_plan::{SeatingPlan, category_number};
use crate::columns;

const CATEGORIES: &str = "/* write_plan */ \
    INSERT INTO plan_categories (plan_id, category_no, name) \
    SELECT $1, category_no, name \
      FROM unnest($2::text[]) WITH ORDINALITY AS c (name, category_no)";

const SECTIONS: &str = "/* write_plan */ \
    INSERT INTO plan_sections (plan_id, section_no, name, kind, capacity, first_seat, seats) \
    SELECT $1, section_no - 1, name, kind, capacity, first_seat, seats \
      FROM unnest($2::text[], $3::smallint[], $4::integer[], $5::integer[], $6::integer[]) \
           WITH ORDINALITY AS s (name, kind, capacity, first_seat, seats, section_no)";

const SECTION_CATEGORIES: &str = "/* write_plan */ \
    INSERT INTO plan_section_categories (plan_id, section_no, category_no) \
    SELECT $1, section_no, category_no \
      FROM unnest($2::smallint[], $3::smallint[]) AS s (section_no, category_no)";

pub(super) async fn insert(transaction: &Client, plan: &SeatingPlan) -> Result<(), Error> {
    transaction.execute(CATEGORIES, &[&plan.id, &plan.categories]).await?;
    insert_sections(transaction, plan).await?;
    let mut sections: Vec<i16> = Vec::new();
    let mut categories: Vec<i16> = Vec::new();
    for (place, section) in plan.sections.iter().enumerate() {
        sections.extend(section.categories.iter().map(|_| columns::place(place)));
        categories
            .extend(section.categories.iter().map(|category| category_number(Some(*category))));
    }
    transaction.execute(SECTION_CATEGORIES, &[&plan.id, &sections, &categories]).await.map(drop)
}

async fn insert_sections(transaction: &Client, plan: &SeatingPlan) -> Result<(), Error> {
    let names: Vec<&str> = plan.sections.iter().map(|section| section.name.as_str()).collect();
    let mut kinds: Vec<i16> = Vec::with_capacity(names.len());
    let mut capacities: Vec<i32> = Vec::with_capacity(names.len());
    let mut first_seats: Vec<Option<i32>> = Vec::with_capacity(names.len());
    let mut seat_counts: Vec<Option<i32>> = Vec::with_capacity(names.len());
    for section in &plan.sections {
        let (kind, first_seat, seats) = match section.kind {
            SectionKind::Seated { first, seats } => {
                (0, Some(columns::integer(first.0)), Some(columns::integer(seats)))
            }
            SectionKind::General { .. } => (1, None, None),
        };
        kinds.push(kind);
        capacities.push(columns::integer(section.capacity));
        first_seats.push(first_seat);
        seat_counts.push(seats);
    }
    transaction
        .execute(SECTIONS, &[&plan.id, &names, &kinds, &capacities, &first_seats, &seat_counts])
        .await
        .map(drop)
}
