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
        "SELECT format('hold %s: quantity %s, %s seats (%s different), %s places, %s prices', \
                       hold_id, quantity, cardinality(seats), different, places, \
                       cardinality(unit_prices)) \
           FROM holds h \
          CROSS JOIN LATERAL (SELECT count(DISTINCT seat) AS different \
                                FROM unnest(seats) AS s (seat)) s \
          CROSS JOIN LATERAL (SELECT coalesce(sum(p.quantity), 0) AS places \
                                FROM hold_places p WHERE p.hold_id = h.hold_id) p \
          WHERE (quantity <= 0 OR cardinality(seats) + places <> quantity \
                 OR different <> cardinality(seats) OR cardinality(unit_prices) <> quantity) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
