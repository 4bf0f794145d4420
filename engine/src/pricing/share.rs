//! What each ticket of a hold has cost: its price, and its share of the fees. Fees are frozen as totals
//! over all tickets, so each is split by the tickets' prices: every ticket gets the whole units of its
//! share, and the units that are left go to the largest remainders, the first ticket first where they are
//! equal (Hare's method). So all shares together are the total, to the unit, whichever tickets come back
//! and in whatever order.

/// One amount a ticket, in minor units, in the order of the prices.
#[must_use]
pub fn shares(unit_prices: &[i64], fees: &[i64]) -> Vec<i64> {
    let mut shares = unit_prices.to_vec();
    for fee in fees {
        for (share, part) in shares.iter_mut().zip(split(*fee, unit_prices)) {
            *share += part;
        }
    }
    shares
}

/// The amount over the weights; over all alike if they are nothing.
fn split(amount: i64, weights: &[i64]) -> Vec<i64> {
    let sum: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    let (sum, even) = if sum == 0 { (weights.len() as i128, true) } else { (sum, false) };
    let exact = |weight: &i64| i128::from(amount) * if even { 1 } else { i128::from(*weight) };
    let whole =
        |weight: &i64| i64::try_from(exact(weight) / sum).expect("a part of an amount fits");
    let mut parts: Vec<i64> = weights.iter().map(whole).collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    // The sort is stable: of equal remainders the first ticket's comes first.
    by_remainder.sort_by_key(|place| std::cmp::Reverse(exact(&weights[*place]) % sum));
    let left = amount - parts.iter().sum::<i64>();
    let left = usize::try_from(left).expect("whole parts are never more than the amount");
    for place in by_remainder.into_iter().take(left) {
        parts[place] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::money::AMOUNT_MAX;
    use crate::pricing::{Fee, quote};

    #[test]
    fn units_that_are_left_go_to_the_largest_remainders_the_first_ticket_first() {
        for (prices, fees, expected) in [
            (vec![1_000, 1_000, 1_000], vec![100], vec![1_034, 1_033, 1_033]),
            (vec![1_000, 1_000, 1_000], vec![101], vec![1_034, 1_034, 1_033]),
            (vec![9_000, 4_500], vec![100], vec![9_067, 4_533]),
            (vec![4_500, 9_000], vec![100], vec![4_533, 9_067]),
            // Whole units of 2.5 and 7.5: the first of the two equal remainders.
            (vec![1, 3], vec![10], vec![4, 10]),
            // A free ticket has no part of any fee.
            (vec![0, 700], vec![31, 7], vec![0, 738]),
            (vec![0, 0], vec![0], vec![0, 0]),
            // No terms make this; the total is still the sum.
            (vec![0, 0, 0], vec![5], vec![2, 2, 1]),
            (vec![], vec![], vec![]),
            (vec![AMOUNT_MAX / 2, 1], vec![AMOUNT_MAX / 2 - 1], vec![AMOUNT_MAX - 2, 2]),
        ] {
            assert_eq!(shares(&prices, &fees), expected, "{prices:?} with {fees:?}");
        }
    }

    proptest! {
        #[test]
        fn all_shares_together_are_the_total_to_the_unit(
            // Whole yen, cents and fils alike: amounts are minor units.
            prices in proptest::collection::vec(prop_oneof![Just(0), 1_i64..10, 1_i64..=10_000_000_000], 1..12),
            fees in proptest::collection::vec((0_i64..=Fee::PERCENT_MAX, 0_i64..=1_000_000_000), 0..4),
        ) {
            let fees: Vec<Fee> = fees
                .into_iter()
                .map(|(percent, fixed)| Fee { name: "fee".into(), percent, fixed })
                .collect();
            let quoted = quote(&fees, prices.iter().map(|price| (*price, 1)));
            let quoted = quoted.expect("under the bound");
            let shares = shares(&prices, &quoted.fees);
            prop_assert_eq!(shares.iter().sum::<i64>(), quoted.total);
            for (share, price) in shares.iter().zip(&prices) {
                prop_assert!(share >= price);
                prop_assert!(*price > 0 || *share == 0);
                // By no more than a unit a fee from its exact part.
                let sum: i128 = prices.iter().map(|price| i128::from(*price)).sum();
                if sum > 0 {
                    let of_fees = i128::from(quoted.total) - sum;
                    let off = i128::from(share - price) * sum - of_fees * i128::from(*price);
                    prop_assert!(off.abs() <= sum * fees.len() as i128);
                }
            }
        }
    }
}
