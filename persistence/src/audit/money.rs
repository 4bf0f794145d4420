//! Money: what is sold is paid for once, and what is paid for is sold.

use super::invariant::{Invariant, invariant};

/// A sale whose capture was refused for good is undone once its tickets have all come back: nothing pays for
/// it then, or does so until the attempt's next step. Its authorisation may have lapsed, which may be why it
/// was refused; as may what is to be let go anyway.
pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "confirmed_orders_are_paid_once",
        "SELECT format('order %s of %s is confirmed with %s paying attempts', \
                       order_id, total, paying) \
           FROM orders o \
          CROSS JOIN LATERAL (SELECT count(*) AS paying FROM payment_attempts a \
                               WHERE a.order_id = o.order_id \
                                 AND a.status IN ('confirmed', 'capture_failed', 'return_due', 'captured')) p \
          WHERE o.status = 1 \
            AND paying NOT BETWEEN (total > 0 AND EXISTS ( \
                    SELECT FROM tickets t WHERE t.order_id = o.order_id AND t.status <> 1))::integer \
                AND (total > 0)::integer \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "paying_attempts_have_a_confirmed_order",
        "SELECT format('attempt %s is %s, its order %s in status %s', \
                       attempt_id, a.status, order_id, o.status) \
           FROM payment_attempts a LEFT JOIN orders o USING (order_id) \
          WHERE a.status IN ('confirmed', 'capture_failed', 'return_due', 'captured') AND o.status IS DISTINCT FROM 1 \
            AND ($1::integer IS NULL OR a.event_no = $1)"
    ),
    invariant!(
        "attempts_are_for_their_order",
        "SELECT format('attempt %s: event %s, buyer %s, %s %s; its order: %s, %s, %s %s', \
                       attempt_id, a.event_no, a.buyer, a.amount, a.currency, \
                       o.event_no, o.buyer, o.total, e.currency) \
           FROM payment_attempts a \
           LEFT JOIN orders o USING (order_id) \
           LEFT JOIN events e ON e.event_no = o.event_no \
          WHERE (a.event_no, a.buyer, a.amount, a.currency) \
                IS DISTINCT FROM (o.event_no, o.buyer, o.total, e.currency) \
            AND ($1::integer IS NULL OR a.event_no = $1)"
    ),
    invariant!(
        "orders_have_at_most_one_open_attempt",
        "SELECT format('order %s has %s open attempts', order_id, count(*)) \
           FROM payment_attempts \
          WHERE status IN ('pending', 'requires_action', 'verifying', 'authorized') \
            AND ($1::integer IS NULL OR event_no = $1) \
          GROUP BY order_id HAVING count(*) > 1"
    ),
    invariant!(
        "attempts_with_money_have_a_reference",
        "SELECT format('attempt %s is %s without a reference', attempt_id, status) \
           FROM payment_attempts \
          WHERE status IN ('authorized', 'confirmed', 'void_due', 'refund_due', 'capture_failed', 'return_due', \
                           'captured', 'voided', 'refunded') \
            AND reference IS NULL AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "attempts_are_resolved_when_final",
        "SELECT format('attempt %s is %s, resolved at %s', attempt_id, status, resolved_at) \
           FROM payment_attempts \
          WHERE (status IN ('capture_failed', 'captured', 'declined', 'voided', 'refunded', 'failed')) \
                <> (resolved_at IS NOT NULL) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "bookings_sum_to_zero",
        "SELECT format('attempt %s: its %s %s is %s %s out of balance', \
                       attempt_id, kind, name, sum(amount), currency) \
           FROM ledger WHERE $1::integer IS NULL OR event_no = $1 \
          GROUP BY attempt_id, kind, name, currency HAVING sum(amount) <> 0"
    ),
    invariant!(
        "attempts_are_booked_as_they_stand",
        "SELECT format('attempt %s is %s, and is booked as reserved %s, taken %s, given back %s', \
                       attempt_id, status, booked.reserved, booked.taken, booked.back) \
           FROM payment_attempts a \
          CROSS JOIN LATERAL (SELECT \
                 coalesce(sum(l.amount) FILTER (WHERE l.account = 'reserved'), 0)::bigint AS reserved, \
                 coalesce(sum(l.amount) FILTER (WHERE l.account = 'provider' \
                                                  AND l.kind = 'capture'), 0)::bigint AS taken, \
                 coalesce(-sum(l.amount) FILTER (WHERE l.account = 'provider' \
                                                   AND l.kind = 'refund'), 0)::bigint AS back \
                   FROM ledger l WHERE l.attempt_id = a.attempt_id) booked \
          WHERE (booked.reserved, booked.taken, booked.back) IS DISTINCT FROM (CASE \
                 WHEN status IN ('authorized', 'confirmed', 'void_due', 'capture_failed', 'return_due') \
                      THEN (a.reserved, 0::bigint, 0::bigint) \
                 WHEN status = 'captured' THEN (0::bigint, a.reserved, booked.back) \
                 WHEN status = 'refund_due' THEN (0::bigint, a.reserved, 0::bigint) \
                 WHEN status = 'refunded' THEN (0::bigint, a.reserved, a.reserved) \
                 ELSE (0::bigint, 0::bigint, 0::bigint) END) \
            AND ($1::integer IS NULL OR a.event_no = $1)"
    ),
    invariant!(
        "refunds_are_booked_when_settled",
        "SELECT format('refund %s of order %s is %s, owes %s, and %s are booked', \
                       refund_id, order_id, status, amount, booked) \
           FROM refunds r \
          CROSS JOIN LATERAL (SELECT coalesce(-sum(l.amount), 0) AS booked FROM ledger l \
                               WHERE l.order_id = r.order_id AND l.kind = 'refund' \
                                 AND split_part(l.name, '/', 1) = r.refund_id::text \
                                 AND l.account = 'provider') l \
          WHERE booked <> CASE WHEN status = 'settled' THEN amount ELSE 0 END \
            AND ($1::integer IS NULL OR r.event_no = $1)"
    ),
    invariant!(
        "refunds_take_back_sales_and_fees_in_proportion",
        "SELECT format('attempt %s gave back %s of %s, and is booked as sales %s, fees %s of %s', \
                       attempt_id, back, a.amount, sales, fees, at_first) \
           FROM payment_attempts a \
          CROSS JOIN LATERAL (SELECT \
                 coalesce(-sum(l.amount) FILTER (WHERE l.account = 'sales'), 0) AS sales, \
                 coalesce(-sum(l.amount) FILTER (WHERE l.account = 'fees'), 0) AS fees, \
                 coalesce(-sum(l.amount) FILTER (WHERE l.account = 'fees' AND l.name = ''), 0) AS at_first, \
                 coalesce(-sum(l.amount) FILTER (WHERE l.account = 'provider' \
                                                   AND l.kind = 'refund'), 0) AS back \
                   FROM ledger l WHERE l.attempt_id = a.attempt_id) booked \
          WHERE a.status = 'captured' \
            AND (fees, sales + fees) IS DISTINCT FROM \
                (at_first - floor(at_first * back / a.amount), a.amount - back) \
            AND ($1::integer IS NULL OR a.event_no = $1)"
    ),
    invariant!(
        "captures_belong_to_a_confirmed_order_whose_tickets_sum_to_them",
        "SELECT format('attempt %s took %s for order %s, whose tickets cost %s', \
                       attempt_id, a.amount, order_id, h.total) \
           FROM payment_attempts a \
           LEFT JOIN orders o USING (order_id) \
           LEFT JOIN holds h USING (hold_id) \
          WHERE a.status = 'captured' \
            AND (o.status IS DISTINCT FROM 1 OR a.amount IS DISTINCT FROM h.total \
                 OR h.quantity IS DISTINCT FROM (SELECT count(*) FROM tickets t \
                                                  WHERE t.order_id = a.order_id) \
                 OR (SELECT sum(price) FROM unnest(h.unit_prices) AS price) \
                    + (SELECT coalesce(sum(fee), 0) FROM unnest(h.fees) AS fee) \
                    IS DISTINCT FROM h.total) \
            AND ($1::integer IS NULL OR a.event_no = $1)"
    ),
    invariant!(
        "reserved_money_has_not_lapsed",
        "SELECT format('attempt %s is %s, and its money was let go at %s', \
                       attempt_id, status, lapses_at) \
           FROM payment_attempts \
          WHERE status IN ('authorized', 'confirmed') \
            AND lapses_at < now() AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
