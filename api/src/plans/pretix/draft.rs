//! A layout as its file says it, before anybody has asked whether that is right.

use std::collections::HashMap;

use super::value::{Flag, Position, Reference, Said};
use crate::plans::place::Place;

/// What is kept of a layout: what seats are made of. 100 bytes a seat, and its texts.
#[derive(Debug, Default)]
pub(in crate::plans) struct Draft {
    /// Those beyond the most that a plan may have are only counted, as are zones and seats.
    pub(super) categories: Vec<Category>,
    pub(super) categories_count: usize,
    /// Zones with seats; the others are decoration.
    pub(in crate::plans) zones: Vec<Zone>,
    pub(super) zones_count: usize,
    pub(super) seats_count: usize,
    /// The names by which seats say their category.
    pub(super) names: Names,
}

#[derive(Debug)]
pub(in crate::plans) struct Category {
    pub(super) index: u32,
    pub(super) name: Said,
}

#[derive(Debug)]
pub(in crate::plans) struct Zone {
    /// Its place in the file.
    pub(in crate::plans) index: u32,
    pub(in crate::plans) name: Said,
    pub(super) zone_id: Said,
    pub(super) position: Position,
    pub(in crate::plans) rows: Vec<Row>,
}

#[derive(Debug)]
pub(in crate::plans) struct Row {
    pub(in crate::plans) index: u32,
    pub(in crate::plans) number: Said,
    pub(super) label: Said,
    pub(super) position: Position,
    pub(in crate::plans) seats: Vec<Seat>,
}

#[derive(Debug)]
pub(in crate::plans) struct Seat {
    pub(in crate::plans) index: u32,
    pub(in crate::plans) guid: Said,
    pub(in crate::plans) number: Said,
    pub(super) category: Reference,
    pub(super) wheelchair: Flag,
    pub(super) position: Position,
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plans) enum NameOf {
    Category,
    Zone,
    Row,
    SeatNumber,
    SeatId,
}

impl Draft {
    /// Shows every name of the draft, in the file's order, to be looked at or changed.
    pub(in crate::plans) fn each_name(&mut self, mut visit: impl FnMut(NameOf, Place, &mut Said)) {
        for Category { index, name } in &mut self.categories {
            visit(NameOf::Category, Place::Category(*index, "name"), name);
        }
        for zone in &mut self.zones {
            visit(NameOf::Zone, Place::Zone(zone.index, "name"), &mut zone.name);
            visit(NameOf::Zone, Place::Zone(zone.index, "zone_id"), &mut zone.zone_id);
            for row in &mut zone.rows {
                let at = |member| Place::Row(zone.index, row.index, member);
                visit(NameOf::Row, at("row_number"), &mut row.number);
                for seat in &mut row.seats {
                    let at = |member| Place::Seat(zone.index, row.index, seat.index, member);
                    visit(NameOf::SeatNumber, at("seat_number"), &mut seat.number);
                    visit(NameOf::SeatId, at("seat_guid"), &mut seat.guid);
                }
            }
        }
    }

    /// Every seat with its place, in the file's order.
    pub(in crate::plans) fn seats(&self) -> impl Iterator<Item = (Place, &Seat)> + Clone {
        self.zones.iter().flat_map(|zone| {
            zone.rows.iter().flat_map(move |row| {
                let place = move |seat: &Seat| Place::Seat(zone.index, row.index, seat.index, "");
                row.seats.iter().map(move |seat| (place(seat), seat))
            })
        })
    }

    /// The names by which seats say their category, to be changed.
    pub(in crate::plans) fn references(&mut self) -> impl Iterator<Item = &mut Box<str>> {
        self.names.texts.iter_mut()
    }
}

impl Zone {
    /// What the zone is called, or nothing: its name or, without one, its id.
    pub(in crate::plans) fn section(&self) -> Option<(Place, &str)> {
        let named = self.name.name().map(|name| (Place::Zone(self.index, "name"), name));
        let by_id = || self.zone_id.name().map(|id| (Place::Zone(self.index, "zone_id"), id));
        named.or_else(by_id)
    }
}

impl Row {
    /// What the row is called, or nothing: its number, in its pattern where it has one.
    pub(in crate::plans) fn name(&self) -> Option<String> {
        let number = self.number.name()?;
        Some(self.label.name().map_or_else(|| number.into(), |label| label.replace("%s", number)))
    }
}

/// Names that many seats have, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) texts: Vec<Box<str>>,
    by_text: HashMap<Box<str>, u32>,
}

impl Names {
    /// The number of this name.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(known) = self.by_text.get(text) {
            return *known;
        }
        let number = u32::try_from(self.texts.len()).expect("a text of 32 MB has fewer names");
        self.texts.push(text.into());
        self.by_text.insert(text.into(), number);
        number
    }
}
