//! From a draft without defects to sections with labelled seats at their places.

use std::collections::HashSet;
use std::sync::Arc;

use taquilla_persistence::catalogue::{NewSeat, NewSection, SectionRoom};

use super::{Draft, Room, Row, Section, label};
use crate::layout::{Block, Spot, lay_out};

/// The sections, laid out.
pub(in crate::plans) fn build(draft: Draft) -> Vec<NewSection> {
    let blocks = draft.sections.iter().filter_map(|section| match &section.room {
        Room::Rows(rows) => Some(Block(rows.iter().map(|row| row.seats).collect())),
        Room::Places(_) => None,
    });
    let mut spots = lay_out(&blocks.collect::<Vec<_>>()).into_iter();
    let section = |Section { name, room }: Section| {
        let room = match room {
            Room::Places(capacity) => SectionRoom::General { capacity },
            Room::Rows(rows) => SectionRoom::Seated(
                rows.into_iter().flat_map(|row| seats(&name, row, &mut spots)).collect(),
            ),
        };
        NewSection { name, room }
    };
    draft.sections.into_iter().map(section).collect()
}

/// The next row's seats.
fn seats(section: &str, row: Row, spots: &mut impl Iterator<Item = Spot>) -> Vec<NewSeat> {
    let name: Arc<str> = row.name.as_str().into();
    let accessible: HashSet<u32> = row.accessible.into_iter().collect();
    let seat = |(number, Spot { x, y }): (u32, Spot)| NewSeat {
        label: label(section, &name, number),
        row: Arc::clone(&name),
        seat: number.to_string(),
        x,
        y,
        accessible: accessible.contains(&number),
        category: None,
        dropped: false,
    };
    (1..=row.seats).zip(spots).map(seat).collect()
}
