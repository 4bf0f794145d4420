//! `identify-seat`: a seat whose id is missing, blank or too short is called by section, row and
//! number, as those of a plan by rows are.

use super::Told;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, SEAT_ID_CHARS_MIN, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    for zone in &mut draft.zones {
        let Some(section) = zone.section().map(|(_, name)| name.to_owned()) else { continue };
        for row in &mut zone.rows {
            let Some(row_name) = row.number.name() else { continue };
            for seat in &mut row.seats {
                let (Some(was), Some(number)) = (too_short(&seat.guid), seat.number.name()) else {
                    continue;
                };
                let id = format!("{section}-{row_name}-{number}");
                told(Place::Seat(zone.index, row.index, seat.index, "seat_guid"), was, &id);
                seat.guid = Said::Text(id.into());
            }
        }
    }
}

/// The id, if it is none.
fn too_short(guid: &Said) -> Option<&str> {
    match guid {
        Said::Nothing => Some(""),
        Said::Text(id) if guid.is_blank() || id.chars().count() < SEAT_ID_CHARS_MIN => Some(id),
        Said::Text(_) | Said::Number(_) | Said::Wrong(_) => None,
    }
}
