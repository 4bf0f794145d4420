//! Repairs of layouts, on request only: a rule a file, applied in a fixed order, so that the same file
//! is always mended the same way. A repair gives or changes a name. None drops or joins seats, moves
//! one, or says what one costs: that is for whoever knows the hall.

mod free_name;
mod identify_seat;
mod name_unnamed_row;
mod name_unnamed_zone;
mod number_unnumbered_seat;
mod remove_invisible_characters;
mod rename_duplicate_seat;
mod rename_duplicate_zone;
mod trim_name;
mod trim_seat_id;
mod write_number_as_text;

use std::fmt;

use super::place::Place;
use super::pretix::Draft;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The rule's name.
    pub rule: &'static str,
    /// A JSON pointer into what was sent.
    pub r#where: String,
    /// What stood there; empty if nothing did.
    pub was: String,
    /// What stands there now.
    pub now: String,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, r#where, was, now } = self;
        write!(f, "{rule} {where}: {was:?} is now {now:?}")
    }
}

/// Told of a change at a place: what was, what is.
type Told<'a> = &'a mut dyn FnMut(Place, &str, &str);

/// Mends a draft; the names are of general areas beside it.
type Rule = fn(&mut Draft, &[&str], Told<'_>);

/// In this order: what a text says, then names that are missing, then names that stand twice.
const RULES: [(&str, Rule); 10] = [
    ("write-number-as-text", write_number_as_text::apply),
    ("remove-invisible-characters", remove_invisible_characters::apply),
    ("trim-name", trim_name::apply),
    ("trim-seat-id", trim_seat_id::apply),
    ("name-unnamed-zone", name_unnamed_zone::apply),
    ("name-unnamed-row", name_unnamed_row::apply),
    ("number-unnumbered-seat", number_unnumbered_seat::apply),
    ("identify-seat", identify_seat::apply),
    ("rename-duplicate-zone", rename_duplicate_zone::apply),
    ("rename-duplicate-seat", rename_duplicate_seat::apply),
];

/// The names of all rules, in their order.
#[must_use]
pub fn rules() -> [&'static str; RULES.len()] {
    RULES.map(|(name, _)| name)
}

/// Applies all rules; `told` learns of each change, with its rule.
pub(super) fn repair(
    draft: &mut Draft,
    areas: &[&str],
    told: &mut dyn FnMut(&'static str, Place, &str, &str),
) {
    for (name, apply) in RULES {
        apply(draft, areas, &mut |place, was, now| told(name, place, was, now));
    }
}
