//! The end of a run: what it found is recorded, and new payments are closed or opened by it, in one commit.

use serde_json::json;
use taquilla_engine::payment::reconciliation::{
    Difference, DifferenceKind, Reconciliation, Verdict,
};
use tokio_postgres::Error;
use tokio_postgres::types::{Json, ToSql, Type};
use uuid::Uuid;

use super::Reconciliations;
use super::stored::{read_differences, stored_counts, stored_differences};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;
use crate::operator_action::OperatorAction;
use crate::pool::PooledClient;

const FINISH: &str = "/* finish_reconciliation */ \
    UPDATE reconciliations \
       SET verdict = $2, records = $3, attempts = $4, in_flight = $5, unsafe_count = $6, \
           counts = $7, differences = $8, ended_at = clock_timestamp() \
     WHERE run_id = $1 AND verdict IS NULL";

const FAIL: &str = "/* fail_reconciliation */ \
    UPDATE reconciliations SET verdict = 'failed', failure = $2, ended_at = clock_timestamp() \
     WHERE run_id = $1 AND verdict IS NULL";

/// The report with which an operator last opened payments again.
const ACCEPTED: &str = "/* finish_reconciliation */ \
    SELECT differences FROM reconciliations WHERE accepted_at IS NOT NULL \
     ORDER BY accepted_at DESC LIMIT 1";

const CLOSE: &str = "/* finish_reconciliation */ \
    UPDATE site SET payments_closed = $1, payments_closed_at = clock_timestamp() \
     WHERE payments_closed IS NULL";

/// The newest reason, since the first.
const STAY_CLOSED: &str = "/* finish_reconciliation */ UPDATE site SET payments_closed = $1";

/// Not where what closed them was found in another provider's books, and nobody has accepted it: that run's
/// provider has to be compared again.
const OPEN: &str = "/* finish_reconciliation */ \
    UPDATE site SET payments_closed = NULL, payments_closed_at = NULL \
      FROM reconciliations this \
     WHERE this.run_id = $1 AND payments_closed IS NOT NULL AND NOT EXISTS ( \
           SELECT FROM reconciliations r \
            WHERE r.provider <> this.provider AND r.verdict = 'unsafe' AND r.accepted_at IS NULL \
              AND r.started_at = (SELECT max(l.started_at) FROM reconciliations l \
                                   WHERE l.provider = r.provider AND l.verdict <> 'failed'))";

const IS_CLOSED: &str = "/* finish_reconciliation */ \
    SELECT FROM site WHERE payments_closed IS NOT NULL";

/// Who closes and opens payments by itself, in the trail.
const BY_ITSELF: &str = "taquilla";

/// What followed from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// New payments are closed: since now, or still.
    Closed,
    /// They are taken.
    Open,
    /// None: the run had lost its turn, and what it found is not recorded.
    TurnLost,
}

impl Reconciliations {
    /// Records what the run found. Differences that could mean that money is wrong close new payments,
    /// unless an operator has seen each of them, as it is now, and opened payments all the same; without
    /// any, payments are open, but for what was found in another provider's books. `action` names the trail's row of a closing or opening.
    ///
    /// # Errors
    /// [`DatabaseError`]; what could not be written stands nowhere, or all of it does.
    pub async fn finish(
        &self,
        run: Uuid,
        found: &Reconciliation,
        action: Uuid,
    ) -> Result<Consequence, DatabaseError> {
        let (counts, differences) = (stored_counts(found), stored_differences(&found.differences));
        let finished = self.database.write("finish_reconciliation", async |transaction| {
            let params: &[(&(dyn ToSql + Sync), Type)] = &[
                (&run, Type::UUID),
                (&found.verdict().code(), Type::TEXT),
                (&bigint(found.records), Type::INT8),
                (&bigint(found.attempts), Type::INT8),
                (&bigint(found.in_flight), Type::INT8),
                (&bigint(found.unsafe_count), Type::INT8),
                (&Json(&counts), Type::JSONB),
                (&Json(&differences), Type::JSONB),
            ];
            if transaction.execute_typed(FINISH, params).await? == 0 {
                return Ok(Ok(Consequence::TurnLost));
            }
            let accepted = match accepted(&transaction).await? {
                Ok(accepted) => accepted,
                Err(broken) => return Ok(Err(broken)),
            };
            let closes = found.verdict() == Verdict::Unsafe && !is_accepted(found, &accepted);
            match closes {
                true => close(&transaction, run, found, action).await?,
                false => open(&transaction, run, action).await?,
            }
            let is_closed = transaction.query_typed_opt(IS_CLOSED, &[]).await?.is_some();
            Ok(Ok(if is_closed { Consequence::Closed } else { Consequence::Open }))
        });
        Ok(finished.await??)
    }

    /// Records why the run could not be made. Payments stay as they are.
    ///
    /// # Errors
    /// [`DatabaseError`]; then the turn ends by itself.
    pub async fn fail(&self, run: Uuid, why: &str) -> Result<(), DatabaseError> {
        let failed = self.database.write("fail_reconciliation", async |transaction| {
            transaction.execute_typed(FAIL, &[(&run, Type::UUID), (&why, Type::TEXT)]).await
        });
        failed.await.map(drop)
    }
}

async fn accepted(transaction: &PooledClient) -> Result<Result<Vec<Difference>, BrokenRow>, Error> {
    let row = transaction.query_typed_opt(ACCEPTED, &[]).await?;
    Ok(row.map_or(Ok(Vec::new()), |row| {
        let Json(differences) = columns::get(&row, "differences")?;
        read_differences(&differences)
    }))
}

/// Differences that are only counted have been seen by nobody.
fn is_accepted(found: &Reconciliation, accepted: &[Difference]) -> bool {
    let mut spelt_out = found.differences.iter().filter(|difference| difference.is_unsafe);
    spelt_out.clone().count() as u64 == found.unsafe_count
        && spelt_out.all(|difference| accepted.iter().any(|it| is_same(it, difference)))
}

/// Whether an operator who has seen one of them has seen the other. What cannot be read has no sums to compare,
/// and is told in words that change with it: it is known by its name.
fn is_same(seen: &Difference, found: &Difference) -> bool {
    if found.kind != DifferenceKind::UnreadableRecord || found.reference.is_none() {
        return seen == found;
    }
    seen.is_unsafe && (seen.kind, &seen.reference) == (found.kind, &found.reference)
}

async fn close(
    transaction: &PooledClient,
    run: Uuid,
    found: &Reconciliation,
    action: Uuid,
) -> Result<(), Error> {
    let why = match found.unsafe_count {
        1 => format!("1 difference of reconciliation {run} could mean that money is wrong"),
        n => format!("{n} differences of reconciliation {run} could mean that money is wrong"),
    };
    let why: &[(&(dyn ToSql + Sync), Type)] = &[(&why, Type::TEXT)];
    if transaction.execute_typed(CLOSE, why).await? == 0 {
        return transaction.execute_typed(STAY_CLOSED, why).await.map(drop);
    }
    let detail = json!({"run_id": run, "unsafe": found.unsafe_count});
    by_itself(action, "reconciliation is unsafe")
        .record(transaction, None, "close_payments", &detail)
        .await
}

async fn open(transaction: &PooledClient, run: Uuid, action: Uuid) -> Result<(), Error> {
    if transaction.execute_typed(OPEN, &[(&run, Type::UUID)]).await? == 0 {
        return Ok(());
    }
    by_itself(action, "reconciliation is safe")
        .record(transaction, None, "open_payments", &json!({"run_id": run}))
        .await
}

fn by_itself(id: Uuid, why: &str) -> OperatorAction {
    OperatorAction { id, who: BY_ITSELF.into(), why: why.into() }
}

fn bigint(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
