//! A seating plan as it is read: one version of one hall.

use taquilla_engine::id::SeatIndex;
use taquilla_engine::plan::SectionKind;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::columns::{self, BrokenRow};

/// Of `seating_plans p`, with its sections and categories; ends within the `FROM`.
macro_rules! plan_columns {
    () => {
        "p.plan_id, p.hall, p.version, p.capacity, \
         ARRAY(SELECT c.name FROM plan_categories c WHERE c.plan_id = p.plan_id \
                ORDER BY category_no) AS categories, \
         ARRAY(SELECT section_no FROM plan_section_categories c WHERE c.plan_id = p.plan_id \
                ORDER BY section_no, category_no) AS section_nos, \
         ARRAY(SELECT category_no FROM plan_section_categories c WHERE c.plan_id = p.plan_id \
                ORDER BY section_no, category_no) AS category_nos, \
         ARRAY(SELECT s.name FROM plan_sections s WHERE s.plan_id = p.plan_id \
                ORDER BY section_no) AS names, \
         ARRAY(SELECT kind FROM plan_sections s WHERE s.plan_id = p.plan_id \
                ORDER BY section_no) AS kinds, \
         ARRAY(SELECT coalesce(seats, s.capacity) FROM plan_sections s WHERE s.plan_id = p.plan_id \
                ORDER BY section_no) AS sizes, \
         ARRAY(SELECT s.capacity FROM plan_sections s WHERE s.plan_id = p.plan_id \
                ORDER BY section_no) AS capacities, \
         ARRAY(SELECT first_seat FROM plan_sections s WHERE s.plan_id = p.plan_id \
                ORDER BY section_no) AS first_seats"
    };
}
pub(super) use plan_columns;

/// One version of a hall's plan. Written once, it never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatingPlan {
    /// Its id.
    pub id: Uuid,
    /// Which hall of its venue.
    pub hall: String,
    /// From 1.
    pub version: u32,
    /// Seats and places to be sold in all.
    pub capacity: u32,
    /// Kinds of seats that it tells apart by name, in the hall's order; none for a plan by rows.
    pub categories: Vec<String>,
    /// In index order, dropped ones too.
    pub sections: Vec<PlanSection>,
}

/// One section of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSection {
    /// Unique in the hall.
    pub name: String,
    /// Its seats' range, dropped ones too, or how many places.
    pub kind: SectionKind,
    /// Seats or places to be sold; 0 for a section that this version lacks.
    pub capacity: u32,
    /// Those that its seats have, as places in the plan's list, ascending; none if they have none.
    pub categories: Vec<u16>,
}

impl SeatingPlan {
    /// How many seats have an index, dropped ones too.
    #[must_use]
    pub fn seats(&self) -> u32 {
        let seats = |section: &PlanSection| match section.kind {
            SectionKind::Seated { seats, .. } => seats,
            SectionKind::General { .. } => 0,
        };
        self.sections.iter().map(seats).sum()
    }
}

impl PlanSection {
    /// Whether an earlier version had it, and this one has not.
    #[must_use]
    pub fn is_dropped(&self) -> bool {
        self.capacity == 0
    }
}

/// Names and kinds, from four arrays of equal length: `names`, `kinds`, `sizes`, `first_seats`.
pub(super) fn section_shapes(row: &Row) -> Result<Vec<(String, SectionKind)>, BrokenRow> {
    let names: Vec<String> = columns::get(row, "names")?;
    let kinds: Vec<i16> = columns::get(row, "kinds")?;
    let sizes: Vec<i32> = columns::get(row, "sizes")?;
    let first_seats: Vec<Option<i32>> = columns::get(row, "first_seats")?;
    let parts = names.into_iter().zip(kinds).zip(sizes).zip(first_seats);
    parts
        .map(|(((name, kind), size), first)| {
            let kind = kind_of(kind, size, first)
                .ok_or_else(|| BrokenRow::new("kind", format!("section {name}")))?;
            Ok((name, kind))
        })
        .collect()
}

/// How much each section has to be sold.
pub(super) fn section_capacities(row: &Row) -> Result<Vec<u32>, BrokenRow> {
    let capacities: Vec<i32> = columns::get(row, "capacities")?;
    let count =
        |capacity: i32| u32::try_from(capacity).map_err(|_| BrokenRow::new("capacities", capacity));
    capacities.into_iter().map(count).collect()
}

/// 0 seated, 1 general, as the schema says.
fn kind_of(kind: i16, size: i32, first_seat: Option<i32>) -> Option<SectionKind> {
    let size = u32::try_from(size).ok()?;
    match (kind, first_seat) {
        (0, Some(first)) => {
            let first = SeatIndex(u32::try_from(first).ok()?);
            Some(SectionKind::Seated { first, seats: size })
        }
        (1, None) => Some(SectionKind::General { capacity: size }),
        _ => None,
    }
}

/// A category's number in the schema: from 1, and 0 for none.
pub(super) fn category_number(category: Option<u16>) -> i16 {
    category.map_or(0, |category| columns::place(usize::from(category) + 1))
}

pub(super) fn read_plan(row: &Row) -> Result<SeatingPlan, BrokenRow> {
    Ok(SeatingPlan {
        id: columns::get(row, "plan_id")?,
        hall: columns::get(row, "hall")?,
        version: columns::count::<i32>(row, "version")?,
        capacity: columns::count::<i32>(row, "capacity")?,
        categories: columns::get(row, "categories")?,
        sections: read_sections(row)?,
    })
}

fn read_sections(row: &Row) -> Result<Vec<PlanSection>, BrokenRow> {
    let (shapes, capacities) = (section_shapes(row)?, section_capacities(row)?);
    columns::same_length("sections", [shapes.len(), capacities.len()])?;
    let section =
        |((name, kind), capacity)| PlanSection { name, kind, capacity, categories: vec![] };
    let mut sections: Vec<_> = shapes.into_iter().zip(capacities).map(section).collect();
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
