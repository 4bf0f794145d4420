//! Plans in the format of pretix's seating-plan editor: zones are sections, rows have names, each seat
//! has an id of its own, a category, and a place of its own.
//!
//! A file is read into a [`Draft`] that says what stands there, right or wrong. Only then is it
//! checked, so that repairs can work on it in between. What the format does not know is passed over,
//! and zones without seats are decoration.

mod build;
mod check;
mod draft;
mod read;
mod seat_ids;
mod value;

pub(super) use self::build::build;
pub(super) use self::check::check;
pub(super) use self::draft::{Draft, NameOf, Zone};
pub(super) use self::read::read;
pub(super) use self::seat_ids::CHARS_MIN as SEAT_ID_CHARS_MIN;
pub(super) use self::value::Said;
