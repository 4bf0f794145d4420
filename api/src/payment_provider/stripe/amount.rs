//! Amounts as Stripe counts them. Ours are ISO 4217's minor units; Stripe's are nearly everywhere the
//! same, and where not, a factor of a hundred (<https://docs.stripe.com/currencies>).

use taquilla_engine::money::{Currency, Money};

/// How Stripe counts a currency.
enum Counts {
    /// As ISO does.
    AsIso,
    /// In hundredths of the smallest unit there is, for old times' sake: two decimals, always `00`.
    InHundredths,
    /// Whole units only, where ISO has two decimals.
    Whole,
    /// As ISO does, three decimals, of which the last is 0: cards have two.
    LastDigitZero,
}

fn counts(currency: Currency) -> Counts {
    match currency.as_str() {
        "ISK" | "UGX" => Counts::InHundredths,
        "MGA" => Counts::Whole,
        "BHD" | "JOD" | "KWD" | "OMR" | "TND" => Counts::LastDigitZero,
        _ => Counts::AsIso,
    }
}

/// The amount in Stripe's units; none if Stripe cannot move so much.
pub(super) fn at_stripe(money: Money) -> Option<i64> {
    let Money { amount, currency } = money;
    match counts(currency) {
        Counts::AsIso => Some(amount),
        Counts::InHundredths => amount.checked_mul(100),
        Counts::Whole => whole(amount, 100),
        Counts::LastDigitZero => whole(amount, 10).map(|_| amount),
    }
}

/// The money of Stripe's units and lower-case currency; none if it is no money of ours.
pub(in super::super) fn from_stripe(amount: i64, currency: &str) -> Option<Money> {
    let currency = Currency::parse(&currency.to_ascii_uppercase())?;
    let amount = match counts(currency) {
        Counts::AsIso | Counts::LastDigitZero => amount,
        Counts::InHundredths => whole(amount, 100)?,
        Counts::Whole => amount.checked_mul(100)?,
    };
    (amount >= 0).then_some(Money { amount, currency })
}

fn whole(amount: i64, of: i64) -> Option<i64> {
    (amount % of == 0).then_some(amount / of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stripe_counts_otherwise_is_the_same_money_there_and_back() {
        for (currency, ours, theirs) in [
            ("EUR", 12_345, Some(12_345)),
            ("JPY", 5_000, Some(5_000)),
            // 5,000 crowns, not 50.
            ("ISK", 5_000, Some(500_000)),
            ("UGX", 7, Some(700)),
            ("MGA", 1_200, Some(12)),
            ("MGA", 1_220, None),
            ("KWD", 12_340, Some(12_340)),
            ("KWD", 12_345, None),
            ("ISK", i64::MAX, None),
        ] {
            let currency = Currency::parse(currency).expect("a currency");
            let money = Money { amount: ours, currency };
            assert_eq!(at_stripe(money), theirs, "{currency} {ours}");
            if let Some(theirs) = theirs {
                let lower = currency.as_str().to_lowercase();
                assert_eq!(from_stripe(theirs, &lower), Some(money), "{currency} {theirs}");
            }
        }
        assert_eq!(from_stripe(123, "isk"), None, "a fraction of a crown");
        assert_eq!(from_stripe(123, "euro"), None);
        assert_eq!(from_stripe(-1, "eur"), None);
    }
}
