//! Who buys: the `sub` of a verified token.

use std::fmt;
use std::sync::Arc;

/// The longest `sub` taken, in bytes: what JWT subjects in use stay under, and a bound for rows.
pub const BUYER_BYTES_MAX: usize = 255;

/// A buyer's name, 1 to [`BUYER_BYTES_MAX`] bytes. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuyerId(Arc<str>);

impl BuyerId {
    /// The buyer with this name; `None` if it is empty, too long, or holds a NUL, which no Postgres
    /// text can.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let fits = !name.is_empty() && name.len() <= BUYER_BYTES_MAX && !name.contains('\0');
        fits.then(|| Self(Arc::from(name)))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BuyerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for BuyerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
