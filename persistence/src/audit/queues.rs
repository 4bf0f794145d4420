//! Waiting rooms: numbers without a gap, one place each in the draw, a draw of exactly those, and nobody inside
//! who was not called.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "queue_places_are_numbered_without_a_gap",
        "SELECT format('event %s: %s joined, %s places, the last of them %s', \
                       event_no, joined, places, last) \
           FROM (SELECT event_no, joined FROM queue_heads) h \
           FULL JOIN (SELECT event_no, count(*) AS places, max(number) AS last \
                        FROM queue_tickets GROUP BY event_no) t USING (event_no) \
          WHERE (coalesce(joined, -1) <> coalesce(places, 0) OR coalesce(last, -1) <> joined - 1) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "nobody_has_two_places_in_a_draw",
        "SELECT format('event %s: %s has the places %s', event_no, buyer, \
                       array_agg(number ORDER BY number)) \
           FROM queue_tickets t JOIN queue_heads h USING (event_no) \
          WHERE (present IS NULL OR number < present) \
            AND ($1::integer IS NULL OR event_no = $1) \
          GROUP BY event_no, buyer HAVING count(*) > 1"
    ),
    invariant!(
        "draws_are_of_those_present",
        "SELECT format('event %s: the draw is not of the %s tickets before it', event_no, present) \
           FROM queue_heads h \
          WHERE present IS NOT NULL AND ($1::integer IS NULL OR event_no = $1) \
            AND value <> sha256((SELECT coalesce(string_agg(uuid_send(ticket_id), '' ORDER BY number), '') \
                                   FROM queue_tickets t \
                                  WHERE t.event_no = h.event_no AND number < present))"
    ),
    invariant!(
        "the_last_call_is_the_heads",
        "SELECT format('event %s: served %s, called to %s', event_no, served, called) \
           FROM queue_heads \
           LEFT JOIN (SELECT event_no, max(served) AS called FROM queue_calls GROUP BY event_no) c \
          USING (event_no) \
          WHERE served <> coalesce(called, 0) AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "no_more_have_come_than_were_called",
        "SELECT format('event %s: %s called, %s came', event_no, served, came) \
           FROM queue_heads \
           JOIN (SELECT event_no, count(*) AS came FROM queue_tickets WHERE turn IN (0, 2) \
                  GROUP BY event_no) t USING (event_no) \
          WHERE came > served AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
