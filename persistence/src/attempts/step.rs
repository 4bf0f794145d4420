//! One step of an attempt: a conditional update, which the engine's table of steps is compiled into.

use taquilla_engine::id::AttemptId;
use taquilla_engine::payment::{Attempt, AttemptStatus, Failure, Step};

use super::PostgresAttempts;
use super::row::{attempt_columns, read_attempt};
use crate::database::DatabaseError;

/// Looks the way up by the status that the row has once it is locked, so that a step which waited
/// for another one is judged by what that one left behind.
const STEP: &str = concat!(
    "/* step_attempt */ UPDATE payment_attempts \
        SET status = ($3::text[])[array_position($2::text[], status)], \
            reference = coalesce($4, reference), \
            failure_code = coalesce($5, failure_code), \
            failure_detail = coalesce($6, failure_detail), \
            resolved_at = CASE WHEN $7 THEN clock_timestamp() END \
      WHERE attempt_id = $1 AND status = ANY ($2) \
  RETURNING ",
    attempt_columns!()
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
        let (reference, failure) = carried(step);
        let code = failure.map(|failure| failure.code.as_str());
        let detail = failure.map(|failure| failure.detail.as_str());
        let moved = self.database.write("step_attempt", async |transaction| {
            let id = attempt.uuid();
            transaction
                .query_opt(STEP, &[&id, &from, &to, &reference, &code, &detail, &is_final])
                .await
        });
        match moved.await? {
            Some(row) => Ok(Some(read_attempt(&row)?)),
            None => self.find_attempt(attempt).await,
        }
    }
}

/// What a step records beside the status.
fn carried(step: &Step) -> (Option<&str>, Option<&Failure>) {
    match step {
        Step::Unclear | Step::Captured | Step::Voided => (None, None),
        Step::Authorized { reference } => (Some(reference), None),
        Step::Mismatched { reference, failure } => (Some(reference), Some(failure)),
        Step::Declined(failure) => (None, Some(failure)),
    }
}
