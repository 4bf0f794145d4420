//! `name-unnamed-row`: a row without a number is numbered by its place in its zone, from 1.

use super::Told;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    for zone in &mut draft.zones {
        for row in zone.rows.iter_mut().filter(|row| row.number.is_blank()) {
            let number = (row.index + 1).to_string();
            told(Place::Row(zone.index, row.index, "row_number"), "", &number);
            row.number = Said::Text(number.into());
        }
    }
}
