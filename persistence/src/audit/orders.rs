//! Orders: one a hold, for its price, and the two end alike.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "holds_have_at_most_one_order",
        "SELECT format('hold %s has %s orders', hold_id, count(*)) \
           FROM orders \
          WHERE $1::integer IS NULL OR event_no = $1 GROUP BY hold_id HAVING count(*) > 1"
    ),
    invariant!(
        "orders_are_for_their_hold",
        "SELECT format('order %s: event %s, buyer %s, total %s; its hold: %s, %s, %s', \
                       order_id, o.event_no, o.buyer, o.total, h.event_no, h.buyer, h.total) \
           FROM orders o LEFT JOIN holds h USING (hold_id) \
          WHERE (o.event_no, o.buyer, o.total) IS DISTINCT FROM (h.event_no, h.buyer, h.total) \
            AND ($1::integer IS NULL OR o.event_no = $1)"
    ),
    invariant!(
        "open_orders_have_an_active_hold",
        "SELECT format('order %s is open, its hold %s in status %s', order_id, hold_id, h.status) \
           FROM orders o LEFT JOIN holds h USING (hold_id) \
          WHERE o.status = 0 AND h.status IS DISTINCT FROM 0 \
            AND ($1::integer IS NULL OR o.event_no = $1)"
    ),
    invariant!(
        "confirmed_orders_have_a_converted_hold",
        "SELECT format('order %s is confirmed, its hold %s in status %s', \
                       order_id, hold_id, h.status) \
           FROM orders o LEFT JOIN holds h USING (hold_id) \
          WHERE o.status = 1 AND h.status IS DISTINCT FROM 3 \
            AND ($1::integer IS NULL OR o.event_no = $1)"
    ),
    invariant!(
        "cancelled_orders_have_a_released_hold",
        "SELECT format('order %s is cancelled, its hold %s in status %s', \
                       order_id, hold_id, h.status) \
           FROM orders o LEFT JOIN holds h USING (hold_id) \
          WHERE o.status = 2 AND h.status IS DISTINCT FROM 1 \
            AND ($1::integer IS NULL OR o.event_no = $1)"
    ),
    invariant!(
        "expired_orders_have_an_expired_hold",
        "SELECT format('order %s is expired, its hold %s in status %s', \
                       order_id, hold_id, h.status) \
           FROM orders o LEFT JOIN holds h USING (hold_id) \
          WHERE o.status = 3 AND h.status IS DISTINCT FROM 2 \
            AND ($1::integer IS NULL OR o.event_no = $1)"
    ),
    invariant!(
        "converted_holds_have_a_confirmed_order",
        "SELECT format('hold %s is converted without a confirmed order', hold_id) \
           FROM holds h \
          WHERE h.status = 3 AND ($1::integer IS NULL OR h.event_no = $1) \
            AND NOT EXISTS (SELECT FROM orders o WHERE o.hold_id = h.hold_id AND o.status = 1)"
    ),
];
