//! Tickets that came back: by one refund each, which owes no more than was paid.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "void_tickets_came_back_once",
        "SELECT format('ticket %s of order %s is void, and in %s refunds of its order', \
                       ticket_id, t.order_id, refunds) \
           FROM tickets t \
          CROSS JOIN LATERAL (SELECT count(*) AS refunds FROM refunds r \
                               WHERE r.order_id = t.order_id AND t.ticket_id = ANY (r.tickets)) r \
          WHERE t.status = 1 AND refunds <> 1 AND ($1::integer IS NULL OR t.event_no = $1)"
    ),
    invariant!(
        "refunds_are_of_void_tickets",
        "SELECT format('refund %s of order %s is of ticket %s: order %s, status %s', \
                       refund_id, r.order_id, listed, t.order_id, t.status) \
           FROM refunds r CROSS JOIN LATERAL unnest(r.tickets) AS listed \
           LEFT JOIN tickets t ON t.ticket_id = listed \
          WHERE (t.order_id, t.event_no, t.status) \
                IS DISTINCT FROM (r.order_id, r.event_no, 1::smallint) \
            AND ($1::integer IS NULL OR r.event_no = $1)"
    ),
    invariant!(
        "refunds_are_within_their_orders_total",
        "SELECT format('order %s of %s owes %s', order_id, o.total, sum(r.amount)) \
           FROM refunds r JOIN orders o USING (order_id) \
          WHERE $1::integer IS NULL OR r.event_no = $1 \
          GROUP BY order_id, o.total HAVING sum(r.amount) > o.total"
    ),
];
