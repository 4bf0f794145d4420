//! `identify-seat`: a seat whose id is missing, blank or too short is called by section, row and
//! number, as those of a plan by rows are. A name that another seat of the file has by right gets the
//! first number behind it that makes it another one: what is printed keeps its seat.

use std::collections::HashSet;

use taquilla_engine::name::canonical;

use super::Told;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, SEAT_ID_CHARS_MIN, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    let given = given_ids(draft);
    for zone in &mut draft.zones {
        let Some(section) = zone.section().map(|(_, name)| name.to_owned()) else { continue };
        for row in &mut zone.rows {
            let Some(row_name) = row.number.name() else { continue };
            for seat in &mut row.seats {
                let (Some(was), Some(number)) = (too_short(&seat.guid), seat.number.name()) else {
                    continue;
                };
                let plain = format!("{section}-{row_name}-{number}");
                let numbered = (2..).map(|number| format!("{plain}~{number}"));
                let is_free = |id: &String| !given.contains(&*canonical(id));
                let mut ids = std::iter::once(plain.clone()).chain(numbered);
                let id = ids.find(is_free).expect("a file has fewer ids than there are numbers");
                told(Place::Seat(zone.index, row.index, seat.index, "seat_guid"), was, &id);
                seat.guid = Said::Text(id.into());
            }
        }
    }
}

/// The ids that are some, in their canonical form.
fn given_ids(draft: &Draft) -> HashSet<String> {
    let seats = draft.zones.iter().flat_map(|zone| &zone.rows).flat_map(|row| &row.seats);
    let ids = seats.filter(|seat| too_short(&seat.guid).is_none());
    ids.filter_map(|seat| match &seat.guid {
        Said::Text(id) => Some(canonical(id).into_owned()),
        Said::Nothing | Said::Number(_) | Said::Wrong(_) => None,
    })
    .collect()
}

/// The id, if it is none.
fn too_short(guid: &Said) -> Option<&str> {
    match guid {
        Said::Nothing => Some(""),
        Said::Text(id) if guid.is_blank() || id.chars().count() < SEAT_ID_CHARS_MIN => Some(id),
        Said::Text(_) | Said::Number(_) | Said::Wrong(_) => None,
    }
}
