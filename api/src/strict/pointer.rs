//! Places in a body, as RFC 6901 writes them.

use std::fmt;

/// A place in a tree.
pub(super) enum Pointer<'a> {
    Root,
    Key(&'a Pointer<'a>, &'a str),
    Index(&'a Pointer<'a>, usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(parent, key) => write!(f, "{parent}/{}", pointer_token(key)),
            Self::Index(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

/// A key as one step of a pointer: `~` and `/` are written `~0` and `~1`.
#[must_use]
pub fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The key that such a step names.
pub(super) fn key_of_token(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_being_a_step() {
        for key in ["", "a", "a/b", "~", "~1", "~0/1", "/~/"] {
            let token = pointer_token(key);
            assert!(!token.contains('/'), "{token}");
            assert_eq!(key_of_token(&token), key);
        }
        assert_eq!(
            Pointer::Key(&Pointer::Index(&Pointer::Root, 3), "a/~b").to_string(),
            "/3/a~1~0b"
        );
    }
}
