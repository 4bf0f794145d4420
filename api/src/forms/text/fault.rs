//! What is wrong with a name. Two names that look the same must be the same, so what cannot be seen is
//! refused by its code point; what only composes differently is for [`taquilla_engine::name`].

use std::fmt;

use super::NAME_CHARS_MAX;

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// It has no character, or only white space. A blank name is no name.
    Blank,
    /// It begins or ends with white space.
    Padded,
    /// It has a character that nobody sees.
    Hidden(char),
    /// It has more than [`NAME_CHARS_MAX`] characters.
    Long,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => f.write_str("blank; a name has a character that can be seen"),
            Self::Padded => f.write_str("begins or ends with white space"),
            Self::Hidden(c) if c.is_control() => {
                write!(f, "has the control character U+{:04X}", u32::from(*c))
            }
            Self::Hidden(c) => write!(f, "has the invisible character U+{:04X}", u32::from(*c)),
            Self::Long => write!(f, "longer than {NAME_CHARS_MAX} characters"),
        }
    }
}

/// What is wrong with a name that people read. What joins letters of some scripts, or chooses between
/// forms of a sign, may stand in it.
#[must_use]
pub fn name_fault(name: &str) -> Option<NameFault> {
    let joins = |c: &char| matches!(*c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    fault(name, |c| hidden(*c) && !joins(c))
}

/// What is wrong with a name by which things are told apart: a seat, a row, a section, a category, a
/// tier.
#[must_use]
pub fn label_fault(label: &str) -> Option<NameFault> {
    fault(label, |c| hidden(*c))
}

fn fault(name: &str, is_hidden: impl Fn(&char) -> bool) -> Option<NameFault> {
    if name.trim().is_empty() {
        return Some(NameFault::Blank);
    }
    if let Some(found) = name.chars().find(is_hidden) {
        return Some(NameFault::Hidden(found));
    }
    if name.trim() != name {
        return Some(NameFault::Padded);
    }
    (name.chars().count() > NAME_CHARS_MAX).then_some(NameFault::Long)
}

/// Whether nobody sees the character, or takes it for a plain space: control characters, Unicode's
/// `Default_Ignorable_Code_Point`, other format characters without a shape, blank letters, and spaces
/// other than the plain and the ideographic one.
#[must_use]
pub fn hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && !matches!(c, ' ' | '\u{3000}'))
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_is_a_name() {
        for name in ["101", "Ö", "O\u{308}", "座位1", "アリーナ\u{3000}A", "Row 1", "23+1", "♿"]
        {
            assert_eq!(label_fault(name), None, "{name}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_refused_by_name() {
        for (name, fault, says) in [
            ("", NameFault::Blank, "blank"),
            (" \u{3000}", NameFault::Blank, "blank"),
            ("A\u{200b}1", NameFault::Hidden('\u{200b}'), "U+200B"),
            ("\u{feff}A", NameFault::Hidden('\u{feff}'), "U+FEFF"),
            ("A\u{a0}1", NameFault::Hidden('\u{a0}'), "U+00A0"),
            ("A\u{3164}", NameFault::Hidden('\u{3164}'), "U+3164"),
            ("a\u{0}b", NameFault::Hidden('\0'), "control character U+0000"),
            ("A\u{fe0f}", NameFault::Hidden('\u{fe0f}'), "U+FE0F"),
            (" A", NameFault::Padded, "white space"),
            ("A ", NameFault::Padded, "white space"),
            (&"x".repeat(201), NameFault::Long, "200"),
        ] {
            assert_eq!(label_fault(name), Some(fault), "{name:?}");
            assert!(fault.to_string().contains(says), "{fault}");
        }
    }

    #[test]
    fn a_name_for_people_may_join_letters() {
        let joined = "می\u{200c}خواهم";
        assert_eq!(name_fault(joined), None);
        assert_eq!(label_fault(joined), Some(NameFault::Hidden('\u{200c}')));
        assert_eq!(name_fault("A\u{202e}B"), Some(NameFault::Hidden('\u{202e}')));
    }
}
