//! History: every batch that the head counts has left its row, and no other has.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "events_have_one_head",
        "SELECT format('event %s: %s', event_no, \
                       CASE WHEN known THEN 'no head' ELSE 'a head without an event' END) \
           FROM (SELECT event_no, true AS known FROM events) e \
           FULL JOIN (SELECT event_no, true AS headed FROM event_heads) h USING (event_no) \
          WHERE known IS DISTINCT FROM headed AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "outbox_reaches_from_the_first_batch_to_the_head",
        "SELECT format('event %s: head at %s, %s rows up to it, %s others', \
                       event_no, seq, within, beyond) \
           FROM (SELECT event_no, seq FROM event_heads) h \
           FULL JOIN (SELECT o.event_no, \
                             count(*) FILTER (WHERE o.seq BETWEEN 1 AND h.seq) AS within, \
                             count(*) FILTER (WHERE o.seq < 1 OR o.seq > coalesce(h.seq, 0)) \
                             AS beyond \
                        FROM outbox o LEFT JOIN event_heads h USING (event_no) \
                       GROUP BY o.event_no) o \
          USING (event_no) \
          WHERE (coalesce(seq, 0) <> coalesce(within, 0) OR coalesce(beyond, 0) > 0) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
