//! `trim-name`: white space around the name of a zone, row, category, or around a seat's number goes.

use super::Told;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, NameOf, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    draft.each_name(|of, place, said| match (of, said) {
        (NameOf::Category | NameOf::Zone | NameOf::Row | NameOf::SeatNumber, Said::Text(text)) => {
            trim(place, text, told);
        }
        (NameOf::SeatId, _) | (_, Said::Nothing | Said::Number(_) | Said::Wrong(_)) => {}
    });
    for text in draft.references() {
        trim(Place::Layout("zones"), text, told);
    }
}

pub(super) fn trim(place: Place, text: &mut Box<str>, told: Told<'_>) {
    let trimmed = text.trim();
    if trimmed.len() < text.len() {
        told(place, text, trimmed);
        *text = trimmed.into();
    }
}
