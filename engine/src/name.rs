//! Names of seats, sections, rows and tiers: compared in Unicode's NFC, shown as given. "Ö" typed
//! composed and decomposed is one name; "座位1" is a name like any other.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The form in which a name is compared with others. Free of charge for a name that is in NFC, as
/// nearly all are.
#[must_use]
pub fn canonical(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc_quick(name.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_typed_in_two_ways_is_one_name() {
        assert_eq!(canonical("O\u{308}-1"), canonical("Ö-1"));
        // Of one letter, an angstrom sign and its decomposition.
        assert_eq!(canonical("\u{212b}"), canonical("A\u{30a}"));
        assert_ne!(canonical("Ö"), canonical("O"));
        assert_ne!(canonical("座位1"), canonical("座位2"));
    }

    #[test]
    fn a_name_in_nfc_is_not_copied() {
        for name in ["101-C-14", "Ö", "座位1", ""] {
            assert!(matches!(canonical(name), Cow::Borrowed(_)), "{name}");
        }
    }
}
