//! Texts of a bounded length. A control character has no business in a name, and Postgres takes no
//! NUL.

mod fault;

pub use self::fault::{NameFault, hidden, label_fault, name_fault};
use crate::slug::is_slug;
use crate::strict::FormErrors;

/// Long enough for every venue, artist or section there is.
pub const NAME_CHARS_MAX: usize = 200;

/// For the trail: a sentence or two.
const REASON_CHARS_MAX: usize = 1_000;

/// Notes a slug that is none.
pub fn check_slug(errors: &mut FormErrors, pointer: &str, slug: &str) {
    errors.require(is_slug(slug), pointer, "1 to 100 of a-z, 0-9 and -, and no UUID");
}

/// Notes a name that people read: what [`name_fault`] finds in it.
pub fn check_name(errors: &mut FormErrors, pointer: &str, name: &str) {
    if let Some(fault) = name_fault(name) {
        errors.add(pointer, fault.to_string());
    }
}

/// Notes a name by which things are told apart: what [`label_fault`] finds in it.
pub fn check_label(errors: &mut FormErrors, pointer: &str, label: &str) {
    if let Some(fault) = label_fault(label) {
        errors.add(pointer, fault.to_string());
    }
}

/// Notes a reason that is too long; where there must be one, also that there is none. `needed` then says
/// of what, and what for.
pub fn check_reason(errors: &mut FormErrors, reason: &str, needed: Option<&str>) {
    check_prose(errors, "/reason", reason, REASON_CHARS_MAX);
    if let Some(needed) = needed {
        errors.require(!reason.trim().is_empty(), "/reason", needed);
    }
}

/// Notes a text that is too long or has control characters other than line breaks and tabs.
pub fn check_prose(errors: &mut FormErrors, pointer: &str, prose: &str, chars_max: usize) {
    let fits = prose.chars().count() <= chars_max
        && !prose.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    let detail = format!("at most {chars_max} characters, no control characters but line breaks");
    errors.require(fits, pointer, &detail);
}
