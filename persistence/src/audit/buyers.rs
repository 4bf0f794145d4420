//! Buyers: nobody has more than one may, and the counts are true.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "buyers_are_within_their_limit",
        "SELECT format('event %s, buyer %s: %s seats, of %s allowed', \
                       event_no, buyer, seats, seats_max) \
           FROM buyers \
          WHERE (seats < 0 OR seats > seats_max) AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "buyers_count_their_holds",
        "SELECT format('event %s, buyer %s: counts %s seats, has %s', \
                       event_no, buyer, counted, taken) \
           FROM (SELECT event_no, buyer, seats AS counted FROM buyers) b \
           FULL JOIN (SELECT event_no, buyer, sum(quantity) AS taken \
                        FROM (SELECT event_no, buyer, quantity FROM holds WHERE status IN (0, 3) \
                               UNION ALL \
                              SELECT o.event_no, o.buyer, -1 FROM tickets t JOIN orders o USING (order_id) \
                               WHERE t.status = 1) held \
                       GROUP BY event_no, buyer) h \
          USING (event_no, buyer) \
          WHERE coalesce(counted, 0) <> coalesce(taken, 0) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
