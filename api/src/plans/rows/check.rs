//! What makes a plan by rows unusable, all of it.

use taquilla_engine::plan::SEATS_MAX;

use super::{Draft, Room, Row, Section, label};
use crate::forms::text::NAME_CHARS_MAX;
use crate::plans::defect::Defects;
use crate::plans::general::check_capacity;
use crate::plans::limits::{LABEL_CHARS_MAX, ROW_SEATS_MAX, ROWS_MAX, SECTIONS_MAX};
use crate::plans::names::{check_name, find_duplicates};
use crate::plans::place::Place;

/// Notes all defects of a draft of the right form.
pub(in crate::plans) fn check(draft: &Draft, defects: &mut Defects) {
    let at = Place::Plan("sections");
    let sections = &draft.sections;
    defects.require(!sections.is_empty(), "no-sections", at, "a plan has at least one section");
    if draft.sections_count > SECTIONS_MAX {
        let detail = format!("{} sections, {SECTIONS_MAX} at most", draft.sections_count);
        defects.add("too-many-sections", at, |_| detail);
    }
    let names =
        (0..).zip(sections).map(|(index, it)| (Place::Section(index, ""), it.name.as_str()));
    find_duplicates(defects, "duplicate-section", names);
    for (index, section) in (0..).zip(sections) {
        check_section(index, section, defects);
    }
    let seats: u64 = rows(sections).map(|(_, _, row)| u64::from(row.seats)).sum();
    if seats > u64::from(SEATS_MAX) {
        defects.add("too-many-seats", at, |_| format!("{seats} seats, {SEATS_MAX} at most"));
    }
    if defects.is_empty() {
        find_duplicate_labels(sections, defects);
    }
}

fn check_section(index: u32, section: &Section, defects: &mut Defects) {
    check_name(defects, Place::Section(index, "section"), &section.name);
    let rows = match &section.room {
        Room::Places(places) => {
            return check_capacity(defects, Place::Section(index, "capacity"), *places);
        }
        Room::Rows(rows) => rows,
    };
    let at = Place::Section(index, "rows");
    defects.require(!rows.is_empty(), "no-rows", at, "a seated section has at least one row");
    if rows.len() > ROWS_MAX {
        defects.add("too-many-rows", at, |_| format!("{} rows, {ROWS_MAX} at most", rows.len()));
    }
    let place = |row| Place::SectionRow(index, row, "");
    let names = (0..).zip(rows).map(|(row, it)| (place(row), it.name.as_str()));
    find_duplicates(defects, "duplicate-row", names);
    for (number, row) in (0..).zip(rows) {
        check_row(place(number), row, defects);
        check_labels(place(number), section, row, defects);
    }
}

fn check_row(at: Place, row: &Row, defects: &mut Defects) {
    check_name(defects, at.at("row"), &row.name);
    let fits = (1..=ROW_SEATS_MAX).contains(&row.seats);
    if !fits {
        let detail = format!("{} seats, expected 1 to {ROW_SEATS_MAX}", row.seats);
        defects.add("seats-out-of-range", at.at("seats"), |_| detail);
    }
    check_accessible(at.at("accessible"), row, defects);
}

/// The names are not too long together, where each is not too long by itself.
fn check_labels(at: Place, section: &Section, row: &Row, defects: &mut Defects) {
    let chars = |text: &str| text.chars().count();
    let last = chars(&label(&section.name, &row.name, row.seats));
    let each_fits = [&section.name, &row.name].iter().all(|name| chars(name) <= NAME_CHARS_MAX);
    if last > LABEL_CHARS_MAX && each_fits {
        defects.add("long-label", at, |_| {
            format!(
                "the last seat's label, of section, row and number, has {last} characters, \
                 {LABEL_CHARS_MAX} at most: more do not fit a ticket's code"
            )
        });
    }
}

/// Each number once, in the words of one defect of either kind.
fn check_accessible(at: Place, row: &Row, defects: &mut Defects) {
    let mut numbers = row.accessible.clone();
    numbers.sort_unstable();
    let twice = numbers.chunk_by(PartialEq::eq).filter(|same| same.len() > 1);
    let twice: Vec<u32> = twice.map(|same| same[0]).collect();
    if !twice.is_empty() {
        defects.add("duplicate-number", at, |_| format!("listed more than once: {}", list(&twice)));
    }
    numbers.dedup();
    numbers.retain(|number| !(1..=row.seats).contains(number));
    if !numbers.is_empty() {
        let seats = row.seats;
        defects.add("no-such-seat", at, |_| {
            format!("not in a row of {seats} seats: {}", list(&numbers))
        });
    }
}

/// The numbers in a sentence; nobody mends more at once.
fn list(numbers: &[u32]) -> String {
    const SHOWN_MAX: usize = 20;
    let shown: Vec<_> = numbers.iter().take(SHOWN_MAX).map(ToString::to_string).collect();
    let more = if numbers.len() > SHOWN_MAX { ", …" } else { "" };
    shown.join(", ") + more
}

/// Two names may make one label: section `A-B` with row `C`, and section `A` with row `B-C`. Seats are
/// numbered from 1, so rows whose first labels differ have no label in common.
fn find_duplicate_labels(sections: &[Section], defects: &mut Defects) {
    let labels: Vec<(Place, String)> = rows(sections)
        .map(|(section, place, row)| (place, label(&section.name, &row.name, 1)))
        .collect();
    let firsts = labels.iter().map(|(place, label)| (*place, label.as_str()));
    find_duplicates(defects, "duplicate-label", firsts);
}

fn rows(sections: &[Section]) -> impl Iterator<Item = (&Section, Place, &Row)> {
    (0..).zip(sections).flat_map(|(index, section)| {
        let rows = match &section.room {
            Room::Rows(rows) => rows.as_slice(),
            Room::Places(_) => &[],
        };
        (0..).zip(rows).map(move |(row, it)| (section, Place::SectionRow(index, row, ""), it))
    })
}
