//! History: every batch that the head counts has left its row, and no other has; what is told of an
//! order's money has no gap, and ends with what is so.

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
           FROM (SELECT h.event_no, h.seq, coalesce(f.seq, 0) AS floor \
                   FROM event_heads h LEFT JOIN outbox_floors f USING (event_no)) h \
           FULL JOIN (SELECT o.event_no, \
                             count(*) FILTER (WHERE o.seq BETWEEN coalesce(f.seq, 0) + 1 AND h.seq) \
                             AS within, \
                             count(*) FILTER (WHERE o.seq <= coalesce(f.seq, 0) \
                                                 OR o.seq > coalesce(h.seq, 0)) AS beyond \
                        FROM outbox o LEFT JOIN event_heads h USING (event_no) \
                             LEFT JOIN outbox_floors f USING (event_no) \
                       GROUP BY o.event_no) o \
          USING (event_no) \
          WHERE (coalesce(seq, 0) - coalesce(floor, 0) <> coalesce(within, 0) \
                 OR coalesce(beyond, 0) > 0) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "order_streams_have_no_gap",
        "SELECT format('order %s: %s told, from version %s to %s, its stream is at %s', \
                       order_id, told, first, last, version) \
           FROM (SELECT order_id, event_no, count(*) AS told, min(version) AS first, max(version) AS last \
                   FROM order_outbox WHERE $1::integer IS NULL OR event_no = $1 \
                  GROUP BY order_id, event_no) o \
           LEFT JOIN order_streams USING (order_id) \
          WHERE version IS DISTINCT FROM last OR told <> last - first + 1"
    ),
    invariant!(
        "what_was_told_last_of_money_is_so",
        "SELECT format('%s %s is %s of %s, and was last told to be %s of %s', \
                       of, name, status, amount, told, told_amount) \
           FROM (SELECT 'attempt' AS of, attempt_id::text AS name, order_id, event_no, status, amount \
                   FROM payment_attempts \
                  WHERE status NOT IN ('authorized', 'confirmed', 'void_due') \
                  UNION ALL \
                 SELECT 'refund', refund_id::text, order_id, event_no, status, amount FROM refunds) it \
          CROSS JOIN LATERAL (SELECT o.status AS told, o.amount AS told_amount FROM order_outbox o \
                               WHERE o.order_id = it.order_id AND o.of = it.of AND o.name = it.name \
                               ORDER BY version DESC LIMIT 1) l \
          WHERE (told <> status OR (of = 'refund' AND told_amount <> amount)) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
