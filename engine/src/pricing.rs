//! What a hold costs. Prices come from the plan's tiers, fees from the event; a client's price is
//! never looked at.

mod share;

pub use share::shares;

use crate::money::AMOUNT_MAX;

/// One fee of an event, reckoned for each ticket: `percent` of its price, rounded half up to the
/// minor unit, plus `fixed`. A ticket of price 0 has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fee {
    /// As buyers see it, such as `service`.
    pub name: String,
    /// Ten-thousandths of a percent: 5.00 % is 50,000. At most [`Fee::PERCENT_MAX`].
    pub percent: i64,
    /// Minor units, at most [`AMOUNT_MAX`].
    pub fixed: i64,
}

impl Fee {
    /// 100 %, the highest percentage that a fee may have.
    pub const PERCENT_MAX: i64 = 100 * Self::PERCENT_UNIT;
    /// How many units make one percent.
    pub const PERCENT_UNIT: i64 = 10_000;

    /// The fee on one ticket of this price.
    #[must_use]
    pub fn on(&self, price: i64) -> i64 {
        if price == 0 {
            return 0;
        }
        let whole = i128::from(Self::PERCENT_MAX);
        let share = (i128::from(price) * i128::from(self.percent) * 2 + whole) / (2 * whole);
        i64::try_from(share).expect("a share of at most 100 % of a price fits") + self.fixed
    }
}

/// What a hold or order costs: each fee in the event's order, and all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// One amount for each fee of the event, over all tickets.
    pub fees: Vec<i64>,
    /// Prices and fees.
    pub total: i64,
}

/// The cost of tickets given as (unit price, quantity); `None` above [`AMOUNT_MAX`].
#[must_use]
pub fn quote(fees: &[Fee], tickets: impl Iterator<Item = (i64, u32)> + Clone) -> Option<Quote> {
    let sum = |each: &dyn Fn(i64) -> i64| -> i128 {
        tickets.clone().map(|(price, n)| i128::from(each(price)) * i128::from(n)).sum()
    };
    let bounded = |amount: i128| i64::try_from(amount).ok().filter(|a| *a <= AMOUNT_MAX);
    let fees: Vec<i64> =
        fees.iter().map(|fee| bounded(sum(&|price| fee.on(price)))).collect::<Option<_>>()?;
    let prices = sum(&|price| price);
    let total = bounded(prices + fees.iter().map(|f| i128::from(*f)).sum::<i128>())?;
    Some(Quote { fees, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fee(percent: i64, fixed: i64) -> Fee {
        Fee { name: "service".into(), percent, fixed }
    }

    #[test]
    fn a_fee_is_rounded_half_up_for_each_ticket() {
        for (price, percent, fixed, expected) in [
            (9_000, 50_000, 100, 550),
            (10, 50_000, 0, 1),     // 0.5 rounds up
            (9, 50_000, 0, 0),      // 0.45 rounds down
            (0, 50_000, 100, 0),    // a free ticket has no fee
            (1_999, 33_333, 0, 67), // 66.63
            (1, 1_000_000, 7, 8),
        ] {
            assert_eq!(
                fee(percent, fixed).on(price),
                expected,
                "{percent} of {price} plus {fixed}"
            );
        }
    }

    #[test]
    fn fees_are_summed_over_tickets_after_rounding() {
        let quoted = quote(&[fee(50_000, 0)], [(10, 3)].into_iter()).expect("small amounts");
        assert_eq!(quoted, Quote { fees: vec![3], total: 33 });
    }

    #[test]
    fn a_total_above_the_bound_is_no_quote() {
        assert_eq!(quote(&[], [(AMOUNT_MAX, 2)].into_iter()), None);
    }
}
