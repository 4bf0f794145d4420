//! `rename-duplicate-seat`: of several seats of one id the first in the file keeps it, the second gets
//! `~2` after it. A tilde needs no escape in a URL.

use super::Told;
use super::free_name::Taken;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    let mut taken = Taken::of(draft.seats().filter_map(|(_, seat)| seat.guid.name()));
    for zone in &mut draft.zones {
        for row in &mut zone.rows {
            for seat in &mut row.seats {
                let Some(id) = seat.guid.name() else { continue };
                if let Some(new) = taken.rename(id, |id, number| format!("{id}~{number}")) {
                    let place = Place::Seat(zone.index, row.index, seat.index, "seat_guid");
                    told(place, id, &new);
                    seat.guid = Said::Text(new.into());
                }
            }
        }
    }
}
