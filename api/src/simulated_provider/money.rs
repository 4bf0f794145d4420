//! Amount and currency as the provider's callers send them: parsed once, at the edge.

use serde::{Deserialize, Serialize};

/// The largest amount of one authorisation, in minor units. Far above any order, and far below
/// 2^53, where JSON readers that know only doubles begin to round.
const AMOUNT_MAX: u64 = 999_999_999_999;

/// Minor units of a currency, at least one: an order of 0 needs no provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub(super) struct Amount(u64);

impl From<Amount> for u64 {
    fn from(amount: Amount) -> Self {
        amount.0
    }
}

impl TryFrom<u64> for Amount {
    type Error = String;

    fn try_from(minor_units: u64) -> Result<Self, String> {
        if (1..=AMOUNT_MAX).contains(&minor_units) {
            Ok(Self(minor_units))
        } else {
            Err(format!("an amount is 1 to {AMOUNT_MAX} minor units, not {minor_units}"))
        }
    }
}

/// A currency of ISO 4217, by its three letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Currency(iso_currency::Currency);

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.0.code().to_owned()
    }
}

impl TryFrom<String> for Currency {
    type Error = String;

    fn try_from(code: String) -> Result<Self, String> {
        iso_currency::Currency::from_code(&code)
            .map(Self)
            .ok_or_else(|| format!("`{}` is no currency of ISO 4217", code.escape_debug()))
    }
}
