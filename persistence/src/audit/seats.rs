//! Seats: each has the owner that it names, and each owner has the seats that it lists.
//!
//! A seat's key is its event's number times 2^20 plus its index.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "seats_are_those_of_the_plan",
        "SELECT format('seat %s is %s', seat_key, \
                       CASE WHEN planned THEN 'missing' ELSE 'not in the plan' END) \
           FROM (SELECT event_no::bigint * 1048576 + seat_index AS seat_key, true AS planned \
                   FROM events JOIN plan_seats USING (plan_id) \
                  WHERE $1::integer IS NULL OR event_no = $1) p \
           FULL JOIN (SELECT seat_key, true AS there FROM seats \
                       WHERE seat_key >= coalesce($1, 0)::bigint * 1048576 \
                         AND seat_key < (coalesce($1, 2147483647)::bigint + 1) * 1048576) s \
          USING (seat_key) \
          WHERE planned IS DISTINCT FROM there"
    ),
    invariant!(
        "dropped_seats_are_blocked",
        "SELECT format('seat %s is in state %s, and the event''s plan has dropped it', seat_key, state) \
           FROM events JOIN plan_seats USING (plan_id) \
           JOIN seats ON seat_key = event_no::bigint * 1048576 + seat_index \
          WHERE dropped AND state <> 3 AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "free_seats_have_no_hold",
        "SELECT format('seat %s is in state %s and names hold %s', seat_key, state, hold_id) \
           FROM seats \
          WHERE state NOT IN (1, 2) AND hold_id IS NOT NULL \
            AND seat_key >= coalesce($1::integer, 0)::bigint * 1048576 \
            AND seat_key < (coalesce($1, 2147483647)::bigint + 1) * 1048576"
    ),
    invariant!(
        "held_seats_are_listed_by_an_active_hold",
        "SELECT format('seat %s is held by %s, which is no active hold of it', \
                       seat_key, s.hold_id) \
           FROM seats s \
           LEFT JOIN holds h ON h.hold_id = s.hold_id AND h.status = 0 \
                AND h.event_no = seat_key / 1048576 AND seat_key % 1048576 = ANY (h.seats) \
          WHERE s.state = 1 AND h.hold_id IS NULL \
            AND seat_key >= coalesce($1::integer, 0)::bigint * 1048576 \
            AND seat_key < (coalesce($1, 2147483647)::bigint + 1) * 1048576"
    ),
    invariant!(
        "sold_seats_are_listed_by_a_converted_hold",
        "SELECT format('seat %s is sold to %s, which is no converted hold of it', \
                       seat_key, s.hold_id) \
           FROM seats s \
           LEFT JOIN holds h ON h.hold_id = s.hold_id AND h.status = 3 \
                AND h.event_no = seat_key / 1048576 AND seat_key % 1048576 = ANY (h.seats) \
          WHERE s.state = 2 AND h.hold_id IS NULL \
            AND seat_key >= coalesce($1::integer, 0)::bigint * 1048576 \
            AND seat_key < (coalesce($1, 2147483647)::bigint + 1) * 1048576"
    ),
    invariant!(
        "active_holds_have_their_seats",
        "SELECT format('hold %s is active, but its seat %s is not its own', \
                       h.hold_id, seat_index) \
           FROM holds h CROSS JOIN LATERAL unnest(h.seats) AS listed (seat_index) \
           LEFT JOIN seats s ON s.seat_key = h.event_no::bigint * 1048576 + seat_index \
                AND s.state = 1 AND s.hold_id = h.hold_id \
          WHERE h.status = 0 AND s.seat_key IS NULL AND ($1::integer IS NULL OR h.event_no = $1)"
    ),
    invariant!(
        "converted_holds_have_their_seats",
        "SELECT format('hold %s is converted, but its seat %s is not its own', \
                       h.hold_id, seat_index) \
           FROM holds h CROSS JOIN LATERAL unnest(h.seats) AS listed (seat_index) \
           LEFT JOIN seats s ON s.seat_key = h.event_no::bigint * 1048576 + seat_index \
                AND s.state = 2 AND s.hold_id = h.hold_id \
          WHERE h.status = 3 AND s.seat_key IS NULL AND ($1::integer IS NULL OR h.event_no = $1) \
            AND NOT EXISTS (SELECT FROM orders o JOIN tickets t USING (order_id) \
                             WHERE o.hold_id = h.hold_id AND t.status = 1 \
                               AND t.seat_key = h.event_no::bigint * 1048576 + seat_index)"
    ),
];
