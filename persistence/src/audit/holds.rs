//! Holds: each adds up by itself.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "holds_cost_their_prices_and_fees",
        "SELECT format('hold %s: total %s, prices and fees %s', hold_id, total, due) \
           FROM holds \
          CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS due \
                                FROM unnest(unit_prices || fees) AS a (amount)) s \
          WHERE total <> due AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "holds_list_what_they_count",
        "SELECT format('hold %s: quantity %s, %s seats (%s different), %s prices', \
                       hold_id, quantity, cardinality(seats), different, \
                       cardinality(unit_prices)) \
           FROM holds \
          CROSS JOIN LATERAL (SELECT count(DISTINCT seat) AS different \
                                FROM unnest(seats) AS s (seat)) s \
          WHERE (quantity <= 0 OR cardinality(seats) NOT IN (0, quantity) \
                 OR different <> cardinality(seats) OR cardinality(unit_prices) <> quantity) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
