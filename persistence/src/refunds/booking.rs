//! Refunds in the ledger: paid, and come back. A refund is booked under its own name; what comes back of
//! it as `<refund>/failed/<errors>`, and what is paid anew as `<refund>/<errors>`: the count of errors only
//! grows, and with each failure, so no two postings are of one name. Together they are what is with the buyer.

/// Refunds of one attempt are booked one after the other. A statement of its own: the one that books sums
/// what it sees at its beginning, which is to be what the refund before this one has left.
pub(super) const LOCK: &str = "/* settle_refund */ \
    SELECT FROM payment_attempts a JOIN refunds r USING (order_id) \
     WHERE r.refund_id = $1 AND a.status = 'captured' FOR UPDATE OF a";

/// Books what `moved` has, with the sign that it has there. Fees go back in proportion to what does, each
/// refund what is missing up to then: together they are what was booked at the capture, to the minor unit.
macro_rules! book {
    () => {
        "INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
         SELECT attempt_id, order_id, event_no, kind, booked_as, account, posted, currency \
           FROM moved \
          CROSS JOIN LATERAL (SELECT coalesce(-sum(l.amount), 0)::bigint AS before FROM ledger l \
                  WHERE l.attempt_id = moved.attempt_id AND l.kind = 'refund' \
                    AND l.account = 'provider') b \
          CROSS JOIN LATERAL (SELECT coalesce(-sum(l.amount), 0)::numeric AS fees FROM ledger l \
                  WHERE l.attempt_id = moved.attempt_id AND l.kind = 'fee' AND l.name = '' \
                    AND l.account = 'fees') f \
          CROSS JOIN LATERAL (SELECT (floor(fees * (before + moving) / whole) \
                                      - floor(fees * before / whole))::bigint AS fee) p \
           JOIN ledger_rules ON rule = 'refunded' \
          CROSS JOIN LATERAL (SELECT moving * of_whole + fee * of_fees AS posted) posting \
          WHERE posted <> 0 \
             ON CONFLICT ON CONSTRAINT ledger_booked_once DO NOTHING"
    };
}

/// What was forgiven or cut down while its payment was on its way is booked as it was paid. Only the payment that
/// was asked for after as many errors as there are: one that has come back since is not booked a second time.
pub(super) const SETTLE: &str = concat!(
    "/* settle_refund */ WITH moved AS ( \
        UPDATE refunds r SET status = 'settled', amount = $3, resolved_at = clock_timestamp() \
          FROM payment_attempts paid \
         WHERE r.refund_id = $1 AND r.status <> 'settled' AND r.errors = $2 \
           AND r.currency = $4 AND $3 > 0 \
           AND paid.order_id = r.order_id AND paid.status = 'captured' \
     RETURNING paid.attempt_id, paid.order_id, paid.event_no, paid.amount AS whole, \
               r.amount AS moving, r.currency, \
               $1::uuid::text || CASE WHEN EXISTS (SELECT FROM ledger l \
                    WHERE l.attempt_id = paid.attempt_id AND l.kind = 'refund' \
                      AND l.name = $1::uuid::text) THEN '/' || r.errors ELSE '' END AS booked_as) ",
    book!()
);

/// Whether the payment that was asked for so is, by now.
pub(super) const IS_SETTLED: &str = "/* settle_refund */ \
    SELECT FROM refunds WHERE refund_id = $1 AND status = 'settled' AND errors = $2 AND amount = $3 AND currency = $4";

/// Only as it was read: whoever looked before another had it reopened and paid anew looked at the payment
/// before. An order that was given back whole by then has ended, and is shown so for ever.
pub(super) const FAILED: &str = concat!(
    "/* refund_failed */ WITH moved AS ( \
        UPDATE refunds r \
           SET status = 'due', resolved_at = NULL, errors = r.errors + 1, \
               came_back_ended = NOT EXISTS (SELECT FROM refunds o \
                       WHERE o.order_id = r.order_id AND o.status = 'due' AND NOT o.came_back_ended) \
                   AND NOT EXISTS (SELECT FROM tickets t \
                       WHERE t.order_id = r.order_id AND t.status <> 1), \
               again_at = clock_timestamp() + make_interval(secs => $3) \
          FROM payment_attempts paid \
         WHERE r.refund_id = $1 AND r.status = 'settled' AND r.errors = $2 \
           AND paid.order_id = r.order_id AND paid.status = 'captured' \
     RETURNING paid.attempt_id, paid.order_id, paid.event_no, paid.amount AS whole, \
               -r.amount AS moving, r.currency, \
               $1::uuid::text || '/failed/' || r.errors AS booked_as) ",
    book!()
);
