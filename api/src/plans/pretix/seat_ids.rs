//! A seat's id is its label: what buyers, tickets and requests call it. Each is one by itself, and
//! unique in the layout.

use super::draft::Draft;
use super::value::Said;
use crate::forms::text::{NameFault, label_fault};
use crate::plans::defect::Defects;
use crate::plans::names::{self, shown};
use crate::plans::place::Place;
use crate::plans::shape::wrong_type;
use crate::strict::pieces::Kind;

/// The format's own rule.
pub(in crate::plans) const CHARS_MIN: usize = 2;

/// Notes what is wrong with an id by itself.
pub(super) fn check(defects: &mut Defects, place: Place, guid: &Said) {
    let id = match guid {
        Said::Text(id) => id,
        Said::Nothing => return defects.add("missing-member", place, |_| "this is required"),
        Said::Number(_) => return wrong_type(defects, place, "a string", Kind::Number),
        Said::Wrong(kind) => return wrong_type(defects, place, "a string", *kind),
    };
    let (code, fault) = match label_fault(id) {
        Some(fault @ NameFault::Blank) => ("blank-seat-id", fault.to_string()),
        Some(fault @ NameFault::Padded) => ("padded-seat-id", fault.to_string()),
        Some(fault @ NameFault::Hidden(_)) => ("invisible-character", fault.to_string()),
        Some(fault @ NameFault::Long) => ("long-name", fault.to_string()),
        None if id.chars().count() < CHARS_MIN => {
            ("short-seat-id", format!("{CHARS_MIN} characters at least"))
        }
        None => return,
    };
    defects.add(code, place, |_| format!("{}: {fault}", shown(id)));
}

/// Notes every occurrence of an id that stands more than once.
pub(super) fn find_duplicates(draft: &Draft, defects: &mut Defects) {
    let ids = draft.seats().filter_map(|(place, seat)| {
        let id = seat.guid.name()?;
        Some((place.at("seat_guid"), id))
    });
    names::find_duplicates(defects, "duplicate-seat", ids);
}
