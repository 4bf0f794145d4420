//! Tickets: one for each seat or place sold, and none for anything else; used by one scan.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "sold_seats_have_one_ticket_of_their_order",
        "SELECT format('seat %s, sold to hold %s: %s tickets in force, %s of its confirmed order', \
                       s.seat_key, s.hold_id, in_force, rightful) \
           FROM seats s \
          CROSS JOIN LATERAL (SELECT count(*) AS in_force, \
                                     count(*) FILTER (WHERE o.hold_id = s.hold_id \
                                                        AND o.status = 1) AS rightful \
                                FROM tickets t LEFT JOIN orders o USING (order_id) \
                               WHERE t.seat_key = s.seat_key AND t.status <> 1) t \
          WHERE s.state = 2 AND (in_force <> 1 OR rightful <> 1) \
            AND s.seat_key >= coalesce($1::integer, 0)::bigint * 1048576 \
            AND s.seat_key < (coalesce($1, 2147483647)::bigint + 1) * 1048576"
    ),
    invariant!(
        "tickets_in_force_are_for_sold_seats",
        "SELECT format('ticket %s is for seat %s, which is in state %s', \
                       ticket_id, seat_key, state) \
           FROM tickets t LEFT JOIN seats USING (seat_key) \
          WHERE t.status <> 1 AND seat_key IS NOT NULL AND state IS DISTINCT FROM 2 \
            AND ($1::integer IS NULL OR t.event_no = $1)"
    ),
    invariant!(
        "tickets_in_force_are_of_confirmed_orders",
        "SELECT format('ticket %s is in force, its order %s in status %s', \
                       ticket_id, order_id, o.status) \
           FROM tickets t LEFT JOIN orders o USING (order_id) \
          WHERE t.status <> 1 AND o.status IS DISTINCT FROM 1 \
            AND ($1::integer IS NULL OR t.event_no = $1)"
    ),
    invariant!(
        "confirmed_orders_have_all_their_tickets",
        "SELECT format('order %s has %s tickets for a hold of %s', order_id, issued, quantity) \
           FROM orders o JOIN holds h USING (hold_id) \
          CROSS JOIN LATERAL (SELECT count(*) AS issued FROM tickets t \
                               WHERE t.order_id = o.order_id) t \
          WHERE o.status = 1 AND issued <> quantity \
            AND ($1::integer IS NULL OR o.event_no = $1)"
    ),
    invariant!(
        "used_tickets_were_accepted_once",
        "SELECT format('ticket %s is used, and %s scans accepted it', ticket_id, accepted) \
           FROM tickets t \
          CROSS JOIN LATERAL (SELECT count(*) AS accepted FROM ticket_scans s \
                               WHERE s.ticket_id = t.ticket_id AND s.result = 0) s \
          WHERE t.status = 2 AND accepted <> 1 \
            AND ($1::integer IS NULL OR t.event_no = $1)"
    ),
    invariant!(
        "accepted_scans_used_their_ticket",
        "SELECT format('scan %s was accepted, its ticket %s has status %s', \
                       s.scan_id, s.ticket_id, t.status) \
           FROM ticket_scans s LEFT JOIN tickets t USING (ticket_id) \
          WHERE s.result = 0 AND coalesce(t.status, 0) = 0 \
            AND ($1::integer IS NULL OR s.event_no = $1)"
    ),
];
