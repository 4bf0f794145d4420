//! `number-unnumbered-seat`: a seat without a number is numbered by its place in its row, from 1.

use super::Told;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    for zone in &mut draft.zones {
        for row in &mut zone.rows {
            for seat in row.seats.iter_mut().filter(|seat| seat.number.is_blank()) {
                let number = (seat.index + 1).to_string();
                let place = Place::Seat(zone.index, row.index, seat.index, "seat_number");
                told(place, "", &number);
                seat.number = Said::Text(number.into());
            }
        }
    }
}
