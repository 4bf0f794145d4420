//! Money: what is sold is paid for once, and what is paid for is sold.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "confirmed_orders_are_paid_once",
        "SELECT format('order %s of %s is confirmed with %s paying attempts', \
                       order_id, total, paying) \
           FROM orders o \
          CROSS JOIN LATERAL (SELECT count(*) AS paying FROM payment_attempts a \
                               WHERE a.order_id = o.order_id \
                                 AND a.status IN ('confirmed', 'capture_failed', 'captured')) p \
          WHERE o.status = 1 AND paying <> (total > 0)::integer \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "paying_attempts_have_a_confirmed_order",
        "SELECT format('attempt %s is %s, its order %s in status %s', \
                       attempt_id, a.status, order_id, o.status) \
           FROM payment_attempts a LEFT JOIN orders o USING (order_id) \
          WHERE a.status IN ('confirmed', 'capture_failed', 'captured') AND o.status IS DISTINCT FROM 1 \
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
          WHERE status IN ('authorized', 'confirmed', 'void_due', 'refund_due', 'capture_failed', \
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
];
