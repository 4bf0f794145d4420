//! From text to a draft. What is noted here is wrong with the form.

use serde_json::value::RawValue;
use taquilla_engine::plan::SEATS_MAX;

use super::{Draft, Room, Row, Section};
use crate::plans::defect::Defects;
use crate::plans::limits::{ROW_SEATS_MAX, SECTIONS_MAX};
use crate::plans::place::Place;
use crate::plans::shape::{count, items, members, text};

/// The draft of a plan's `sections`.
pub(in crate::plans) fn read(form: &mut Defects, sections: Option<&RawValue>) -> Draft {
    let mut draft = Draft::default();
    // A row has a seat at least, so that more rows than seats may be are too many anyway.
    let mut rows_left = SEATS_MAX as usize;
    items(form, Place::Plan("sections"), sections, |form, place, piece| {
        let section = read_section(form, place, piece, &mut rows_left);
        draft.sections_count += 1;
        if draft.sections.len() < SECTIONS_MAX {
            draft.sections.push(section);
        }
    });
    draft
}

fn read_section(
    form: &mut Defects,
    index: u32,
    piece: &RawValue,
    rows_left: &mut usize,
) -> Section {
    let at = |member| Place::Section(index, member);
    let names = ["section", "kind", "rows", "capacity"];
    let [name, kind, rows, capacity] = members(form, at(""), piece, names);
    let name = text(form, at("section"), name).unwrap_or_default();
    let room = match text(form, at("kind"), kind).as_deref() {
        Some("seated") => {
            form.require(
                capacity.is_none(),
                "unknown-member",
                at("capacity"),
                "its rows say how many seats",
            );
            form.require(rows.is_some(), "missing-member", at("rows"), "a seated section has rows");
            Room::Rows(rows.map(|rows| read_rows(form, index, rows, rows_left)).unwrap_or_default())
        }
        Some("general") => {
            form.require(
                rows.is_none(),
                "unknown-member",
                at("rows"),
                "a general section has no rows",
            );
            form.require(
                capacity.is_some(),
                "missing-member",
                at("capacity"),
                "a general section has a capacity",
            );
            Room::Places(capacity.map_or(0, |piece| count(form, at("capacity"), Some(piece))))
        }
        // It has been noted.
        None => Room::Places(0),
        Some(_) => {
            form.add("wrong-type", at("kind"), |_| "expected `seated` or `general`");
            Room::Places(0)
        }
    };
    Section { name, room }
}

fn read_rows(form: &mut Defects, section: u32, rows: &RawValue, rows_left: &mut usize) -> Vec<Row> {
    let mut read = Vec::new();
    items(form, Place::Section(section, "rows"), Some(rows), |form, place, piece| {
        let row = read_row(form, section, place, piece);
        if *rows_left > 0 {
            *rows_left -= 1;
            read.push(row);
        }
    });
    read
}

fn read_row(form: &mut Defects, section: u32, index: u32, piece: &RawValue) -> Row {
    let at = |member| Place::SectionRow(section, index, member);
    let [name, seats, accessible] = members(form, at(""), piece, ["row", "seats", "accessible"]);
    let name = text(form, at("row"), name).unwrap_or_default();
    let seats = count(form, at("seats"), seats);
    let mut numbers = Vec::new();
    if accessible.is_some() {
        items(form, at("accessible"), accessible, |form, _, number| {
            let number = count(form, at("accessible"), Some(number));
            // One too many is enough to refuse them.
            if numbers.len() <= ROW_SEATS_MAX as usize {
                numbers.push(number);
            }
        });
    }
    Row { name, seats, accessible: numbers }
}
