//! What stands in an id's place in paths, and what it is made of.

use sha2::{Digest, Sha256};
use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::Reference;
use uuid::Uuid;

/// Bounds an index entry, and what fits a URL.
pub const SLUG_BYTES_MAX: usize = 100;

/// Whether this may stand in an event's or venue's place in a path.
#[must_use]
pub fn is_slug(slug: &str) -> bool {
    (1..=SLUG_BYTES_MAX).contains(&slug.len())
        && slug.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        // A UUID in a path is an id.
        && Uuid::parse_str(slug).is_err()
}

/// The id or slug of an event or venue; `None` for what can be neither, which no database needs to be
/// asked about.
#[must_use]
pub fn reference(text: &str) -> Option<Reference> {
    match Reference::parse(text) {
        Reference::Slug(slug) if !is_slug(&slug) => None,
        reference => Some(reference),
    }
}

/// A slug made of a name: lower case, accents dropped, the rest hyphens. Two names that
/// differ in more than accents and punctuation have two slugs: letters that have no place in a slug
/// leave a hash of the name.
#[must_use]
pub fn slug_of(name: &str) -> String {
    let lower: String = canonical(name).to_lowercase().chars().map(without_accent).collect();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if slug.is_empty() || slug.len() > SLUG_BYTES_MAX || lower.chars().any(is_foreign) {
        let hash = Sha256::digest(lower.as_bytes());
        slug.truncate(SLUG_BYTES_MAX - 17);
        slug.push_str(if slug.is_empty() { "" } else { "-" });
        slug.push_str(&hex::encode(&hash[..8]));
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
        assert_eq!(slug_of("Rosali\u{301}a"), "rosalia", "the same name, decomposed");
        assert_eq!(slug_of("  AC/DC  "), "ac-dc");
        for name in ["東京", "東京事変", "!!!", "???", "Mägo de Oz 東", &"x".repeat(300)] {
            assert!(is_slug(&slug_of(name)), "{name}: {}", slug_of(name));
        }
        assert_ne!(slug_of("東京"), slug_of("東京事変"));
    }

    #[test]
    fn a_slug_is_no_uuid() {
        assert!(is_slug("demo-open"));
        for bad in ["", "Demo", "a b", "é", "a\0", "00000000-0000-0000-0000-000000000000"] {
            assert!(!is_slug(bad), "{bad}");
        }
    }

    #[test]
    fn what_is_neither_id_nor_slug_names_nothing() {
        for text in ["", "\0", "Noche", "a/b", "é"] {
            assert_eq!(reference(text), None, "{text}");
        }
        assert_eq!(reference("noche"), Some(Reference::Slug("noche".into())));
        assert_eq!(reference(&Uuid::nil().to_string()), Some(Reference::Id(Uuid::nil())));
    }
}
