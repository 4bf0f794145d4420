//! Texts of a bounded length. A control character has no business in a name, and Postgres takes no
//! NUL.

mod fault;

use sha2::{Digest, Sha256};

pub use self::fault::{NameFault, hidden, label_fault, name_fault};
use crate::strict::FormErrors;

/// Long enough for every venue, artist or section there is.
pub const NAME_CHARS_MAX: usize = 200;

/// Bounds an index entry, and what fits a URL.
pub const SLUG_BYTES_MAX: usize = 100;

/// Whether this may stand in an event's or venue's place in a path.
#[must_use]
pub fn is_slug(slug: &str) -> bool {
    (1..=SLUG_BYTES_MAX).contains(&slug.len())
        && slug.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        // A UUID in a path is an id.
        && uuid::Uuid::parse_str(slug).is_err()
}

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

/// Notes a text that is too long or has control characters other than line breaks and tabs.
pub fn check_prose(errors: &mut FormErrors, pointer: &str, prose: &str, chars_max: usize) {
    let fits = prose.chars().count() <= chars_max
        && !prose.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    let detail = format!("at most {chars_max} characters, no control characters but line breaks");
    errors.require(fits, pointer, &detail);
}

/// A slug for an artist, from the name: lower case, accents dropped, the rest hyphens. Two names that
/// differ in more than accents and punctuation have two slugs: letters that have no place in a slug
/// leave a hash of the name.
#[must_use]
pub fn slug_of(name: &str) -> String {
    let lower: String = name.to_lowercase().chars().map(without_accent).collect();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if slug.is_empty() || slug.len() > SLUG_BYTES_MAX || lower.chars().any(is_foreign) {
        let hash = Sha256::digest(lower.as_bytes());
        slug.truncate(SLUG_BYTES_MAX - 17);
        slug.push_str(if slug.is_empty() { "" } else { "-" });
        slug.extend(hash.iter().take(8).map(|byte| format!("{byte:02x}")));
    }
    slug
}

/// The letters of western Europe without what stands above or below them.
fn without_accent(c: char) -> char {
    const PLAIN: &[(&str, char)] = &[
        ("áàâäãåā", 'a'),
        ("éèêëē", 'e'),
        ("íìîïī", 'i'),
        ("óòôöõøō", 'o'),
        ("úùûüū", 'u'),
        ("ýÿ", 'y'),
        ("ñń", 'n'),
        ("çć", 'c'),
    ];
    PLAIN.iter().find(|(letters, _)| letters.contains(c)).map_or(c, |(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artists_have_readable_slugs_that_do_not_collide() {
        assert_eq!(slug_of("Rosalía"), "rosalia");
        assert_eq!(slug_of("  AC/DC  "), "ac-dc");
        for name in ["東京", "東京事変", "!!!", "???", "Mägo de Oz 東", &"x".repeat(300)] {
            assert!(is_slug(&slug_of(name)), "{name}: {}", slug_of(name));
        }
        assert_ne!(slug_of("東京"), slug_of("東京事変"));
    }

    #[test]
    fn a_slug_is_no_uuid() {
        assert!(is_slug("demo-open"));
        for bad in ["", "Demo", "a b", "é", "00000000-0000-0000-0000-000000000000"] {
            assert!(!is_slug(bad), "{bad}");
        }
    }
}
