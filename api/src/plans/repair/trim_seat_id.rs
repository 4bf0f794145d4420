//! `trim-seat-id`: white space around a seat's id goes.

use super::Told;
use super::trim_name::trim;
use crate::plans::pretix::{Draft, NameOf, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    draft.each_name(|of, place, said| match (of, said) {
        (NameOf::SeatId, Said::Text(text)) => trim(place, text, told),
        (NameOf::SeatId, Said::Nothing | Said::Number(_) | Said::Wrong(_))
        | (NameOf::Category | NameOf::Zone | NameOf::Row | NameOf::SeatNumber, _) => {}
    });
}
