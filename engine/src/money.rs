//! Money: integer minor units of an ISO 4217 currency. No floats anywhere.

use std::fmt;

/// The highest amount that one price, fee or order may have, in minor units. Six times as much for
/// each of a hundred seats still fits an `i64`.
pub const AMOUNT_MAX: i64 = 1_000_000_000_000;

/// Three capital letters, as ISO 4217 writes a currency. Whether it exists is checked at the edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The currency of this code, if it has the right form.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_uppercase).then_some(Self(bytes))
    }

    /// The code.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a currency is made of ASCII letters only")
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An amount with its currency, in minor units; never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Money {
    /// Minor units: cents of a euro, whole yen, fils of a dinar.
    pub amount: i64,
    /// What they are units of.
    pub currency: Currency,
}
