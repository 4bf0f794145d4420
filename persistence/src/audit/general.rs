//! General sections: counts that agree with holds, within capacity.

use super::invariant::{Invariant, invariant};

pub(super) const INVARIANTS: &[Invariant] = &[
    invariant!(
        "general_areas_are_those_of_the_plan",
        // An operator may give one another capacity than the plan's.
        "SELECT format('event %s, section %s is %s', event_no, section_no, \
                       CASE WHEN planned THEN 'missing' ELSE 'not in the plan' END) \
           FROM (SELECT event_no, section_no, true AS planned \
                   FROM events JOIN plan_sections v USING (plan_id) WHERE kind = 1) p \
           FULL JOIN (SELECT event_no, section_no, true AS kept FROM general_areas) g \
          USING (event_no, section_no) \
          WHERE planned IS DISTINCT FROM kept AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "general_areas_are_within_capacity",
        "SELECT format('event %s, section %s: %s held and %s sold of %s', \
                       event_no, section_no, held, sold, capacity) \
           FROM general_areas \
          WHERE (held < 0 OR sold < 0 OR held + sold > capacity) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
    invariant!(
        "general_areas_count_their_holds",
        "SELECT format('event %s, section %s: %s held and %s sold, by its holds %s and %s', \
                       event_no, section_no, held, sold, active, converted) \
           FROM (SELECT event_no, section_no, held, sold FROM general_areas) g \
           FULL JOIN (SELECT event_no, section_no, \
                             coalesce(sum(p.quantity) FILTER (WHERE status = 0), 0) AS active, \
                             coalesce(sum(p.quantity) FILTER (WHERE status = 3), 0) AS converted \
                        FROM (SELECT event_no, section_no, p.quantity, status \
                                FROM holds JOIN hold_places p USING (hold_id) \
                               UNION ALL \
                              SELECT event_no, section_no, -1, 3 FROM tickets \
                               WHERE status = 1 AND seat_key IS NULL) p \
                       GROUP BY event_no, section_no) h \
          USING (event_no, section_no) \
          WHERE (coalesce(held, 0) <> coalesce(active, 0) \
                 OR coalesce(sold, 0) <> coalesce(converted, 0)) \
            AND ($1::integer IS NULL OR event_no = $1)"
    ),
];
