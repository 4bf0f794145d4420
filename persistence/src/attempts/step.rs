//! One step of an attempt: a conditional update, which the engine's table of steps is compiled into, and
//! in the same statement the postings of the money that moved with it.

use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::payment::{Attempt, AttemptStatus, Failure, NextAction, Step};
use tokio_postgres::types::{ToSql, Type};

use super::PostgresAttempts;
use super::row::{attempt_columns, read_attempt};
use crate::database::DatabaseError;
use crate::stamp::Stamp;

/// Looks the way up by the status that the row has once it is locked, so that a step which waited
/// for another one is judged by what that one left behind. An authorisation that matches is of what is owed.
/// What has been booked already is not booked again; but what was given back, came back, and is given back anew has
/// names of its own, by the count of errors, which only grows. What was asked for after so many errors is taken of a row
/// that has as many, and of no other: a step that is repeated late is not another payment's. An error takes nothing from what the buyer has to do.
const STEP: &str = concat!(
    "/* step_attempt */ WITH moved AS ( \
     UPDATE payment_attempts \
        SET status = ($3::text[])[array_position($2::text[], status)], \
            reference = coalesce($4, reference), \
            failure_code = coalesce($5, failure_code), \
            failure_detail = coalesce($6, failure_detail), \
            resolved_at = CASE WHEN $7 THEN clock_timestamp() END, \
            next_redirect = CASE WHEN $10 > 0 THEN next_redirect ELSE $8 END, \
            next_secret = CASE WHEN $10 > 0 THEN next_secret ELSE $9 END, \
            errors = errors + $10, \
            came_back = came_back OR $17, \
            reserved = coalesce(reserved, $11, CASE WHEN $13 THEN amount END), \
            reserved_in = coalesce(reserved_in, $12, CASE WHEN $13 THEN currency END), \
            lapses_at = coalesce($14, lapses_at), \
            again_at = coalesce(clock_timestamp() + make_interval(secs => $19), again_at) \
      WHERE attempt_id = $1 AND status = ANY ($2) AND ($18::bigint IS NULL OR errors = $18) \
        AND (NOT $16 OR NOT EXISTS (SELECT FROM tickets \
              WHERE tickets.order_id = payment_attempts.order_id AND tickets.status <> 1)) \
  RETURNING event_no, ",
    attempt_columns!(),
    "), booked AS ( \
     INSERT INTO ledger (attempt_id, order_id, event_no, kind, name, account, amount, currency) \
     SELECT attempt_id, order_id, event_no, kind, booked_as, account, posted, reserved_in \
       FROM moved \
      CROSS JOIN LATERAL (SELECT sum(fee)::bigint AS fees \
              FROM orders o JOIN holds h USING (hold_id), unnest(h.fees) AS fee \
             WHERE o.order_id = moved.order_id) f \
       JOIN ledger_rules ON rule = ANY ($15) \
      CROSS JOIN LATERAL (SELECT CASE WHEN $17 THEN -1 ELSE 1 END \
              * (reserved * of_whole + coalesce(fees, 0) * of_fees) AS posted) p \
      CROSS JOIN LATERAL (SELECT CASE WHEN $17 THEN '/failed/' || errors \
              WHEN kind = 'refund' AND EXISTS (SELECT FROM ledger l \
                    WHERE l.attempt_id = moved.attempt_id AND l.kind = 'refund' AND l.name = '') \
              THEN '/' || errors ELSE '' END AS booked_as) n \
      WHERE posted <> 0 \
         ON CONFLICT ON CONSTRAINT ledger_booked_once DO NOTHING), \
     forgiven AS ( \
     UPDATE refunds SET status = 'none', resolved_at = clock_timestamp() FROM moved \
      WHERE $16 AND refunds.order_id = moved.order_id AND refunds.status = 'due') \
     SELECT * FROM moved"
);

impl PostgresAttempts {
    /// The attempt after the step, or as it is where the step does not lead on from there.
    pub(super) async fn take_step(
        &self,
        attempt: AttemptId,
        step: &Step,
    ) -> Result<Option<Attempt>, DatabaseError> {
        let (from, to): (Vec<AttemptStatus>, Vec<AttemptStatus>) = step.moves().unzip();
        let is_final = to.iter().all(|status| status.is_final());
        let from: Vec<&str> = from.into_iter().map(AttemptStatus::code).collect();
        let to: Vec<&str> = to.into_iter().map(AttemptStatus::code).collect();
        let it = Carried::by(step);
        let moved = self.database.write_at_once("step_attempt", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 19] = [
                (&attempt.uuid(), Type::UUID),
                (&from, Type::TEXT_ARRAY),
                (&to, Type::TEXT_ARRAY),
                (&it.reference, Type::TEXT),
                (&it.failure.map(|failure| failure.code.as_str()), Type::TEXT),
                (&it.failure.map(|failure| failure.detail.as_str()), Type::TEXT),
                (&is_final, Type::BOOL),
                (&it.redirect, Type::TEXT),
                (&it.secret, Type::TEXT),
                (&it.errors, Type::INT4),
                (&it.reserved.map(|money| money.amount), Type::INT8),
                (&it.reserved.map(|money| money.currency.to_string()), Type::TEXT),
                (&it.reserves_what_is_owed, Type::BOOL),
                (&it.lapses_at.map(Stamp), Type::TIMESTAMPTZ),
                (&it.booked_by, Type::TEXT_ARRAY),
                (&it.owes_nothing, Type::BOOL),
                (&it.books_the_reverse, Type::BOOL),
                (&step.asked_after().map(i64::from), Type::INT8),
                (&step.puts_off().map(|it| it.as_secs_f64()), Type::FLOAT8),
            ];
            client.query_typed_opt(STEP, &params).await
        });
        match moved.await? {
            Some(row) => Ok(Some(read_attempt(&row)?)),
            None => self.find_attempt(attempt).await,
        }
    }
}

/// What a step records beside the status.
#[derive(Default)]
struct Carried<'a> {
    reference: Option<&'a str>,
    failure: Option<&'a Failure>,
    redirect: Option<&'a str>,
    secret: Option<&'a str>,
    errors: i32,
    reserved: Option<Money>,
    reserves_what_is_owed: bool,
    lapses_at: Option<Moment>,
    /// No ticket is valid, or the step is not taken; and what was never taken is not given back.
    owes_nothing: bool,
    /// Whether what was booked so is undone.
    books_the_reverse: bool,
    /// Rules of the ledger.
    booked_by: &'static [&'static str],
}

impl<'a> Carried<'a> {
    fn by(step: &'a Step) -> Self {
        let nothing = Self::default();
        match step {
            Step::Unclear | Step::GraceOver | Step::RefundRefused { .. } => nothing,
            Step::TicketsReturned => Self { owes_nothing: true, ..nothing },
            Step::Erred { .. } => Self { errors: 1, ..nothing },
            Step::Opened { reference } => Self { reference: Some(reference), ..nothing },
            Step::ActionRequired { reference, action } => {
                let (redirect, secret) = match action {
                    NextAction::Redirect(url) => (Some(url.as_str()), None),
                    NextAction::ClientSecret(secret) => (None, Some(secret.as_str())),
                };
                Self { reference: Some(reference), redirect, secret, ..nothing }
            }
            Step::Authorized { reference, lapses_at } => Self {
                reference: Some(reference),
                reserves_what_is_owed: true,
                lapses_at: *lapses_at,
                booked_by: &["authorised"],
                ..nothing
            },
            Step::Mismatched { reference, reserved, failure } => Self {
                reference: Some(reference),
                failure: Some(failure),
                reserved: Some(*reserved),
                booked_by: &["authorised"],
                ..nothing
            },
            Step::LetGo { reference, was_reserved } => Self {
                reference: Some(reference),
                reserved: Some(*was_reserved),
                booked_by: &["authorised", "voided"],
                ..nothing
            },
            Step::Taken { reference, taken } => Self {
                reference: Some(reference),
                reserved: Some(*taken),
                booked_by: &["authorised", "taken"],
                ..nothing
            },
            Step::Declined(failure) | Step::GivenUp(failure) | Step::CaptureRefused(failure) => {
                Self { failure: Some(failure), ..nothing }
            }
            Step::Captured => Self { booked_by: &["captured"], ..nothing },
            Step::Voided => Self { booked_by: &["voided"], ..nothing },
            Step::Refunded { .. } => Self { booked_by: &["returned"], ..nothing },
            Step::RefundFailed { .. } => {
                Self { errors: 1, books_the_reverse: true, booked_by: &["returned"], ..nothing }
            }
        }
    }
}
