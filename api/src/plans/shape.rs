//! Objects of which nothing unknown is taken: the plan itself, and all of a plan by rows. What does not
//! have the right shape is noted, and read as empty.

use serde_json::value::RawValue;

use super::defect::Defects;
use super::place::Place;
use crate::strict::pieces::{self, Kind, Picked};

/// The members of these names, or nothing of what is no object. One that is null says nothing.
pub(super) fn members<'a, const N: usize>(
    form: &mut Defects,
    place: Place,
    piece: &'a RawValue,
    names: [&'static str; N],
) -> [Option<&'a RawValue>; N] {
    let Picked { values, twice, unknown } = match pieces::pick(piece, names) {
        Ok(picked) => picked,
        Err(kind) => {
            wrong_type(form, place, "an object", kind);
            return [None; N];
        }
    };
    for (name, _) in names.iter().zip(twice).filter(|(_, twice)| *twice) {
        form.add("duplicate-member", place.at(name), |_| "this key stands twice");
    }
    for name in unknown {
        form.add_unknown("unknown-member", place, &name);
    }
    values.map(|value| value.filter(|piece| Kind::of(piece) != Kind::Null))
}

/// A required string.
pub(super) fn text(form: &mut Defects, place: Place, piece: Option<&RawValue>) -> Option<String> {
    match pieces::text(required(form, place, piece)?) {
        Ok(text) => Some(text.into_owned()),
        Err(kind) => {
            wrong_type(form, place, "a string", kind);
            None
        }
    }
}

/// A required whole number that is not negative.
pub(super) fn count(form: &mut Defects, place: Place, piece: Option<&RawValue>) -> u32 {
    let Some(piece) = required(form, place, piece) else { return 0 };
    whole(piece).unwrap_or_else(|| {
        let found = || match Kind::of(piece) {
            Kind::Number => piece.get().chars().take(20).collect(),
            other => other.to_string(),
        };
        form.add("wrong-type", place, |_| format!("expected a whole number, found {}", found()));
        0
    })
}

/// Each item of a required array.
pub(super) fn items<'a>(
    form: &mut Defects,
    place: Place,
    piece: Option<&'a RawValue>,
    mut visit: impl FnMut(&mut Defects, u32, &'a RawValue),
) {
    let Some(piece) = required(form, place, piece) else { return };
    let read = pieces::each_item(piece, |index, item| visit(form, index, item));
    if let Err(kind) = read {
        wrong_type(form, place, "an array", kind);
    }
}

/// A whole number of 32 bits.
pub(super) fn whole(piece: &RawValue) -> Option<u32> {
    serde_json::from_str(piece.get()).ok()
}

pub(super) fn wrong_type(form: &mut Defects, place: Place, expected: &str, found: Kind) {
    form.add("wrong-type", place, |_| format!("expected {expected}, found {found}"));
}

fn required<'a>(
    form: &mut Defects,
    place: Place,
    piece: Option<&'a RawValue>,
) -> Option<&'a RawValue> {
    form.require(piece.is_some(), "missing-member", place, "this is required");
    piece
}
