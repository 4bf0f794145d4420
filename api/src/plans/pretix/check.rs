//! What makes a layout unusable, all of it.

use std::borrow::Cow;
use std::collections::HashSet;

use taquilla_engine::name::canonical;
use taquilla_engine::plan::SEATS_MAX;

use super::draft::{Draft, Row, Seat, Zone};
use super::seat_ids;
use super::value::{Coordinate, Flag, Position, Reference, Said};
use crate::plans::defect::Defects;
use crate::plans::limits::{CATEGORIES_MAX, COORDINATE_MAX, SECTIONS_MAX};
use crate::plans::names::{check_name, find_duplicates, shown};
use crate::plans::place::Place;
use crate::plans::shape::wrong_type;
use crate::strict::pieces::Kind;

/// Notes all defects of a draft but those of section names among each other.
pub(in crate::plans) fn check(draft: &Draft, defects: &mut Defects) {
    check_size(draft, defects);
    check_categories(draft, defects);
    for zone in &draft.zones {
        check_zone(zone, defects);
    }
    seat_ids::find_duplicates(draft, defects);
}

fn check_size(draft: &Draft, defects: &mut Defects) {
    let zones = Place::Layout("zones");
    let seats = draft.seats_count;
    // One that could not be read has none either, and that has been noted.
    let readable = defects.is_empty();
    defects.require(seats > 0 || !readable, "no-seats", zones, "no zone has a seat");
    if seats > SEATS_MAX as usize {
        defects.add("too-many-seats", zones, |_| format!("{seats} seats, {SEATS_MAX} at most"));
    }
    if draft.zones_count > SECTIONS_MAX {
        let detail = format!("{} zones with seats, {SECTIONS_MAX} at most", draft.zones_count);
        defects.add("too-many-sections", zones, |_| detail);
    }
    if draft.categories_count > CATEGORIES_MAX {
        let detail = format!("{} categories, {CATEGORIES_MAX} at most", draft.categories_count);
        defects.add("too-many-categories", Place::Layout("categories"), |_| detail);
    }
}

fn check_categories(draft: &Draft, defects: &mut Defects) {
    let named = draft.categories.iter().map(|it| (Place::Category(it.index, "name"), &it.name));
    for (place, name) in named.clone() {
        if check_said(defects, place, name) {
            check_name(defects, place, text(name));
        }
    }
    let names = named.filter_map(|(place, name)| Some((place, name.name()?)));
    find_duplicates(defects, "duplicate-category", names);
    check_references(draft, defects);
}

/// Every category that a seat names is one of the layout's.
fn check_references(draft: &Draft, defects: &mut Defects) {
    let names = draft.categories.iter().filter_map(|category| category.name.name());
    let declared: HashSet<Cow<'_, str>> = names.map(canonical).collect();
    let known: Vec<bool> =
        draft.names.texts.iter().map(|name| declared.contains(&canonical(name))).collect();
    for (place, seat) in draft.seats() {
        let place = place.at("category");
        match seat.category {
            Reference::Nothing => defects.add("missing-member", place, |_| "this is required"),
            Reference::Wrong(kind) => wrong_type(defects, place, "a category's name", kind),
            Reference::Name(number) if known[number as usize] => {}
            Reference::Name(number) => defects.add("unknown-category", place, |_| {
                let name = shown(&draft.names.texts[number as usize]);
                format!("{name} is no category of the layout")
            }),
        }
    }
}

fn check_zone(zone: &Zone, defects: &mut Defects) {
    let at = |member| Place::Zone(zone.index, member);
    for (member, said) in [("name", &zone.name), ("zone_id", &zone.zone_id)] {
        if let Some(kind) = said.wrong() {
            wrong_type(defects, at(member), "a string", kind);
        }
    }
    match zone.section() {
        Some((place, name)) => check_name(defects, place, name),
        None if zone.name.wrong().is_some() => {}
        None => {
            let detail = "a zone with seats has a name, or else a zone_id, to be a section by";
            defects.add("unnamed-zone", at(""), |_| detail);
        }
    }
    if zone.position == Position::Nothing {
        defects.add("missing-member", at("position"), |_| "this is required");
    }
    check_position(defects, zone.position, [at("position"), at("position/x"), at("position/y")]);
    for row in &zone.rows {
        check_row(zone, row, defects);
    }
}

fn check_row(zone: &Zone, row: &Row, defects: &mut Defects) {
    let at = |member| Place::Row(zone.index, row.index, member);
    if check_said(defects, at("row_number"), &row.number) {
        check_name(defects, at("row_number"), text(&row.number));
    }
    if let Some(kind) = row.label.wrong() {
        wrong_type(defects, at("row_label"), "a string", kind);
    }
    if let (Some(name), Some(_)) = (row.name(), row.label.name()) {
        check_name(defects, at("row_label"), &name);
    }
    check_position(defects, row.position, [at("position"), at("position/x"), at("position/y")]);
    for seat in &row.seats {
        check_seat(zone, row, seat, defects);
    }
}

fn check_seat(zone: &Zone, row: &Row, seat: &Seat, defects: &mut Defects) {
    let at = |member| Place::Seat(zone.index, row.index, seat.index, member);
    seat_ids::check(defects, at("seat_guid"), &seat.guid);
    if check_said(defects, at("seat_number"), &seat.number) {
        check_name(defects, at("seat_number"), text(&seat.number));
    }
    if let Flag::Wrong(kind) = seat.wheelchair {
        wrong_type(defects, at("wheelchair"), "a boolean", kind);
    }
    if seat.position == Position::Nothing {
        defects.add("missing-member", at("position"), |_| "this is required");
    }
    check_position(defects, seat.position, [at("position"), at("position/x"), at("position/y")]);
    let (x, y) = place_of(zone, row, seat);
    let fits = x.abs() <= COORDINATE_MAX && y.abs() <= COORDINATE_MAX;
    if !fits {
        let detail = format!("zone, row and seat come to {x}, {y}; {COORDINATE_MAX} at most");
        defects.add("coordinate-out-of-range", at("position"), |_| detail);
    }
}

/// Where a seat lies: at zone, row and seat together.
pub(super) fn place_of(zone: &Zone, row: &Row, seat: &Seat) -> (f64, f64) {
    let parts = [zone.position, row.position, seat.position].map(Position::or_origin);
    parts.into_iter().fold((0.0, 0.0), |(x, y), (dx, dy)| (x + dx, y + dy))
}

/// Notes what is no position; that there is one is for the caller to say.
fn check_position(defects: &mut Defects, position: Position, [at, at_x, at_y]: [Place; 3]) {
    let (x, y) = match position {
        Position::At(x, y) => (x, y),
        Position::Wrong(kind) => return wrong_type(defects, at, "an object with x and y", kind),
        Position::Nothing => return,
    };
    for (place, coordinate) in [(at_x, x), (at_y, y)] {
        match coordinate {
            Coordinate::At(_) => {}
            Coordinate::Nothing => defects.add("missing-member", place, |_| "this is required"),
            Coordinate::Wrong(kind) => wrong_type(defects, place, "a number", kind),
            Coordinate::Endless => {
                defects.add("coordinate-not-finite", place, |_| "no finite number");
            }
        }
    }
}

/// Notes a required name that is not there or no text; whether there is one to look at.
fn check_said(defects: &mut Defects, place: Place, said: &Said) -> bool {
    match said {
        Said::Text(_) => return true,
        Said::Nothing => defects.add("missing-member", place, |_| "this is required"),
        Said::Number(_) => wrong_type(defects, place, "a string", Kind::Number),
        Said::Wrong(kind) => wrong_type(defects, place, "a string", *kind),
    }
    false
}

fn text(said: &Said) -> &str {
    match said {
        Said::Text(text) => text,
        Said::Nothing | Said::Number(_) | Said::Wrong(_) => "",
    }
}
