//! Currencies that money is asked in: those of the ISO 4217 list of today that have minor units.

use iso_currency::Currency as IsoCurrency;
use taquilla_engine::money::Currency;

/// Of the library's list; nobody can pay in these any more.
const WITHDRAWN: &[&str] = &["ANG", "BGN", "CUC", "HRK", "SLL", "ZWL"];

/// The currency of this code. The codes of metals, of funds' units of account and of tests are none:
/// they have no minor units, or nobody pays with them.
#[must_use]
pub fn parse(code: &str) -> Option<Currency> {
    let iso = IsoCurrency::from_code(code)?;
    let is_money = iso.exponent().is_some() && !iso.is_fund() && !iso.is_special();
    (is_money && !WITHDRAWN.contains(&code)).then(|| Currency::parse(code)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_asked_in_currencies_of_today() {
        for code in ["EUR", "JPY", "KWD", "USD", "VES", "VED", "SLE", "ZWG", "XCG", "XOF"] {
            assert!(parse(code).is_some(), "{code}");
        }
        for code in
            ["HRK", "BGN", "ANG", "CUC", "SLL", "ZWL", "DEM", "XAU", "XTS", "XXX", "CHE", "eur", ""]
        {
            assert!(parse(code).is_none(), "{code}");
        }
    }
}
