//! What makes a plan unusable, all of it.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use taquilla_engine::plan::SEATS_MAX;

use super::{Plan, Room, RowForm, Section, label};

/// Sections are numbered by 16 bits, and each has an actor; stadiums have a hundred.
const SECTIONS_MAX: usize = 2_000;
/// Of one section.
const ROWS_MAX: usize = 1_000;
/// Of one row.
const ROW_SEATS_MAX: u32 = 1_000;
/// Of one general section. With all sections this large a venue's capacity still fits 32 bits.
const PLACES_MAX: u32 = 1_000_000;

/// One thing that is wrong, where, and in words.
#[derive(Debug, Serialize)]
pub(super) struct Defect {
    code: &'static str,
    /// A JSON pointer into the body.
    r#where: String,
    detail: String,
}

#[derive(Default)]
struct Defects(Vec<Defect>);

impl Defects {
    fn require(&mut self, holds: bool, code: &'static str, at: &str, detail: &str) {
        if !holds {
            self.0.push(Defect { code, r#where: at.to_owned(), detail: detail.to_owned() });
        }
    }
}

pub(super) fn find_defects(plan: &Plan) -> Vec<Defect> {
    let mut defects = Defects::default();
    let at = "/plan/sections";
    let sections = &plan.0;
    defects.require(!sections.is_empty(), "no-sections", at, "a plan has at least one section");
    let few = sections.len() <= SECTIONS_MAX;
    defects.require(few, "too-many-sections", at, &format!("{SECTIONS_MAX} at most"));
    let mut names = HashSet::new();
    for (place, section) in sections.iter().enumerate() {
        let at = format!("{at}/{place}");
        let new = names.insert(&section.name);
        defects.require(new, "duplicate-section", &at, &format!("{} stands twice", section.name));
        find_in_section(section, &at, &mut defects);
    }
    let seats: u64 = rows(sections).map(|(_, _, row)| u64::from(row.seats)).sum();
    let fits = seats <= u64::from(SEATS_MAX);
    defects.require(fits, "too-many-seats", at, &format!("{seats} seats, {SEATS_MAX} at most"));
    if defects.0.is_empty() {
        find_duplicate_labels(sections, &mut defects);
    }
    defects.0
}

fn find_in_section(section: &Section, at: &str, defects: &mut Defects) {
    let rows = match &section.room {
        Room::Places(places) => {
            let fits = (1..=PLACES_MAX).contains(places);
            let detail = format!("1 to {PLACES_MAX} places");
            return defects.require(fits, "capacity-out-of-range", at, &detail);
        }
        Room::Rows(rows) => rows,
    };
    defects.require(!rows.is_empty(), "no-rows", at, "a seated section has at least one row");
    let few = rows.len() <= ROWS_MAX;
    defects.require(few, "too-many-rows", at, &format!("{ROWS_MAX} at most"));
    let mut names = HashSet::new();
    for (place, row) in rows.iter().enumerate() {
        let at = format!("{at}/rows/{place}");
        let new = names.insert(&row.row);
        defects.require(new, "duplicate-row", &at, &format!("{} stands twice", row.row));
        let fits = (1..=ROW_SEATS_MAX).contains(&row.seats);
        defects.require(fits, "seats-out-of-range", &at, &format!("1 to {ROW_SEATS_MAX} seats"));
        let there = row.accessible.iter().all(|number| (1..=row.seats).contains(number));
        defects.require(there, "no-such-seat", &at, "an accessible seat is not in the row");
    }
}

/// Two names may make one label: section `A-B` with row `C`, and section `A` with row `B-C`.
fn find_duplicate_labels(sections: &[Section], defects: &mut Defects) {
    let mut seen = HashMap::new();
    for (section, at, row) in rows(sections) {
        // Seats are numbered from 1, so rows whose first labels differ have no label in common.
        if let Some(other) = seen.insert(label(&section.name, &row.row, 1), at.clone()) {
            let detail = format!("its seats have the labels of those at {other}");
            defects.require(false, "duplicate-label", &at, &detail);
        }
    }
}

fn rows(sections: &[Section]) -> impl Iterator<Item = (&Section, String, &RowForm)> {
    sections.iter().enumerate().flat_map(|(place, section)| {
        let rows = match &section.room {
            Room::Rows(rows) => rows.as_slice(),
            Room::Places(_) => &[],
        };
        let row = move |(row_place, row)| {
            (section, format!("/plan/sections/{place}/rows/{row_place}"), row)
        };
        rows.iter().enumerate().map(row)
    })
}
