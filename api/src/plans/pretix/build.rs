//! From a draft without defects to categories, sections and seats.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::{NewSeat, NewSection, SectionRoom};

use super::check::place_of;
use super::draft::{Draft, Row, Seat, Zone};
use super::value::{Flag, Reference, Said};

/// Names of categories and sections with their seats, in the file's order.
pub(in crate::plans) fn build(draft: Draft) -> (Vec<String>, Vec<NewSection>) {
    let names = draft.categories.iter().filter_map(|category| category.name.name());
    let categories: Vec<String> = names.map(str::to_owned).collect();
    let places: HashMap<Cow<'_, str>, u16> =
        categories.iter().map(|name| canonical(name)).zip(0..).collect();
    // The categories of the names that seats say, by the names' numbers.
    let category_of: Vec<Option<u16>> =
        draft.names.texts.iter().map(|name| places.get(&canonical(name)).copied()).collect();
    let section = |zone: Zone| {
        let name = zone.section().map(|(_, name)| name.to_owned()).unwrap_or_default();
        let seats = zone.rows.iter().flat_map(|row| seats(&zone, row, &category_of));
        NewSection { name, room: SectionRoom::Seated(seats.collect()) }
    };
    let sections = draft.zones.into_iter().map(section).collect();
    drop(places);
    (categories, sections)
}

fn seats<'a>(
    zone: &'a Zone,
    row: &'a Row,
    category_of: &'a [Option<u16>],
) -> impl Iterator<Item = NewSeat> + 'a {
    let name: Arc<str> = row.name().unwrap_or_default().into();
    row.seats.iter().map(move |seat| {
        let (x, y) = place_of(zone, row, seat);
        NewSeat {
            label: text(&seat.guid),
            row: Arc::clone(&name),
            seat: text(&seat.number),
            x: narrowed(x),
            y: narrowed(y),
            accessible: seat.wheelchair == Flag::Set,
            category: category(seat, category_of),
            dropped: false,
        }
    })
}

fn category(seat: &Seat, category_of: &[Option<u16>]) -> Option<u16> {
    match seat.category {
        Reference::Name(number) => category_of[number as usize],
        Reference::Nothing | Reference::Wrong(_) => None,
    }
}

fn text(said: &Said) -> String {
    said.name().unwrap_or_default().to_owned()
}

/// Editors write sixteen digits; seven are a hair.
#[expect(clippy::cast_possible_truncation, reason = "coordinates are a million at most")]
fn narrowed(length: f64) -> f32 {
    length as f32
}
