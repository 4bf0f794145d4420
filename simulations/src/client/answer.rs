//! An answer as a buyer reads it.

use serde_json::Value;

/// A status and a body, or neither.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// `None`: no answer came.
    pub status: Option<u16>,
    /// Null where there is none.
    pub body: Value,
}

impl Answer {
    /// Whether it says yes.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// The problem that it names, if it is one.
    #[must_use]
    pub fn slug(&self) -> Option<&str> {
        slug(&self.body)
    }

    /// Whether the request is settled, so that asking again brings nothing new. What is shed, in
    /// the dark, or still being decided is not; a 500 leaves its key unused.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        match self.status {
            None | Some(429 | 500..) => false,
            Some(409) => self.slug() != Some("idempotency-key-in-use"),
            Some(_) => true,
        }
    }

    /// A string member of the body; empty where there is none.
    #[must_use]
    pub fn text(&self, member: &str) -> &str {
        self.body[member].as_str().unwrap_or_default()
    }
}

/// The last part of a problem's type.
pub(crate) fn slug(body: &Value) -> Option<&str> {
    body.get("type")?.as_str()?.rsplit('/').next()
}
