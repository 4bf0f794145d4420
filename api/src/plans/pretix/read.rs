//! From text to a draft. Noted here is only what leaves nothing to put into it.

use serde_json::value::RawValue;
use taquilla_engine::plan::SEATS_MAX;

use super::draft::{Category, Draft, Row, Seat, Zone};
use super::value::{Flag, Position, Reference, Said};
use crate::plans::defect::Defects;
use crate::plans::limits::{CATEGORIES_MAX, SECTIONS_MAX};
use crate::plans::place::Place;
use crate::plans::shape::wrong_type;
use crate::strict::pieces::{self, Kind, Picked};

/// The draft of a layout.
pub(in crate::plans) fn read(defects: &mut Defects, layout: &RawValue) -> Draft {
    let mut draft = Draft::default();
    let at = Place::Layout;
    let Some([categories, zones]) = pick(defects, at(""), layout, ["categories", "zones"]) else {
        return draft;
    };
    each(defects, at("categories"), categories, |defects, index, piece| {
        draft.categories_count += 1;
        let name = pick(defects, Place::Category(index, ""), piece, ["name"]);
        if let Some([name]) = name.filter(|_| draft.categories.len() < CATEGORIES_MAX) {
            draft.categories.push(Category { index, name: Said::read(name) });
        }
    });
    each(defects, at("zones"), zones, |defects, index, piece| {
        read_zone(defects, &mut draft, index, piece);
    });
    draft
}

fn read_zone(defects: &mut Defects, draft: &mut Draft, index: u32, piece: &RawValue) {
    let at = |member| Place::Zone(index, member);
    let names = ["name", "zone_id", "position", "rows"];
    let Some([name, zone_id, position, rows]) = pick(defects, at(""), piece, names) else { return };
    let mut zone = Zone {
        index,
        name: Said::read(name),
        zone_id: Said::read(zone_id),
        position: Position::read(position),
        rows: Vec::new(),
    };
    let mut has_seats = false;
    if rows.is_some_and(|rows| Kind::of(rows) != Kind::Null) {
        each(defects, at("rows"), rows, |defects, row, piece| {
            let seats_before = draft.seats_count;
            zone.rows.extend(read_row(defects, draft, (index, row), piece));
            has_seats |= draft.seats_count > seats_before;
        });
    }
    draft.zones_count += usize::from(has_seats);
    if !zone.rows.is_empty() && draft.zones.len() < SECTIONS_MAX {
        draft.zones.push(zone);
    }
}

/// The row, if it has seats.
fn read_row(
    defects: &mut Defects,
    draft: &mut Draft,
    (zone, index): (u32, u32),
    piece: &RawValue,
) -> Option<Row> {
    let at = |member| Place::Row(zone, index, member);
    let names = ["row_number", "row_label", "position", "seats"];
    let [number, label, position, seats] = pick(defects, at(""), piece, names)?;
    let mut row = Row {
        index,
        number: Said::read(number),
        label: Said::read(label),
        position: Position::read(position),
        seats: Vec::new(),
    };
    each(defects, at("seats"), seats, |defects, seat, piece| {
        draft.seats_count += 1;
        if draft.seats_count <= SEATS_MAX as usize {
            row.seats.extend(read_seat(defects, draft, (zone, index, seat), piece));
        }
    });
    (!row.seats.is_empty()).then_some(row)
}

fn read_seat(
    defects: &mut Defects,
    draft: &mut Draft,
    (zone, row, index): (u32, u32, u32),
    piece: &RawValue,
) -> Option<Seat> {
    let at = Place::Seat(zone, row, index, "");
    let names = ["seat_guid", "seat_number", "category", "wheelchair", "position"];
    let [guid, number, category, wheelchair, position] = pick(defects, at, piece, names)?;
    let category = match Said::read(category) {
        Said::Nothing => Reference::Nothing,
        Said::Text(name) => Reference::Name(draft.names.number(&name)),
        Said::Number(_) => Reference::Wrong(Kind::Number),
        Said::Wrong(kind) => Reference::Wrong(kind),
    };
    Some(Seat {
        index,
        guid: Said::read(guid),
        number: Said::read(number),
        category,
        wheelchair: Flag::read(wheelchair),
        position: Position::read(position),
    })
}

/// The members of these names of something that must be an object; what else it has is passed over.
fn pick<'a, const N: usize>(
    defects: &mut Defects,
    place: Place,
    piece: &'a RawValue,
    names: [&'static str; N],
) -> Option<[Option<&'a RawValue>; N]> {
    let Picked { values, twice, unknown: _ } = match pieces::pick(piece, names) {
        Ok(picked) => picked,
        Err(kind) => {
            wrong_type(defects, place, "an object", kind);
            return None;
        }
    };
    for (name, _) in names.iter().zip(twice).filter(|(_, twice)| *twice) {
        defects.add("duplicate-member", place.at(name), |_| "this key stands twice");
    }
    Some(values)
}

/// Each item of something that must be an array.
fn each<'a>(
    defects: &mut Defects,
    place: Place,
    piece: Option<&'a RawValue>,
    mut visit: impl FnMut(&mut Defects, u32, &'a RawValue),
) {
    let Some(piece) = piece else {
        return defects.add("missing-member", place, |_| "this is required");
    };
    let read = pieces::each_item(piece, |index, item| visit(defects, index, item));
    if let Err(kind) = read {
        wrong_type(defects, place, "an array", kind);
    }
}
