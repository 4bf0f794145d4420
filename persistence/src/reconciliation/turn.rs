//! A run's turn: one at a time, and none so soon after another, however many processes want one.

use std::time::Duration;

use taquilla_engine::moment::Moment;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::Reconciliations;
use crate::columns;
use crate::database::DatabaseError;
use crate::stamp::Stamp;

const GIVE_UP: &str = "/* begin_reconciliation */ \
    UPDATE reconciliations \
       SET verdict = 'failed', failure = 'its process ended', ended_at = clock_timestamp() \
     WHERE verdict IS NULL AND holds_until < clock_timestamp()";

/// Some two thousand reports, at one an hour.
const FORGET: &str = "/* begin_reconciliation */ \
    DELETE FROM reconciliations WHERE started_at < clock_timestamp() - interval '90 days'";

const IN_THE_WAY: &str = "/* begin_reconciliation */ \
    SELECT started_at, verdict IS NULL AS at_work FROM reconciliations \
     WHERE verdict IS NULL OR (verdict <> 'failed' \
           AND started_at > clock_timestamp() - $1 * interval '1 second') \
     ORDER BY verdict IS NOT NULL, started_at DESC LIMIT 1";

/// Whoever is at the same waits for the first here, and then has no turn. A run that does not say again
/// that it lives is waited for so long.
const BEGIN: &str = "/* begin_reconciliation */ \
    INSERT INTO reconciliations (run_id, provider, started_by, since, holds_until) \
    VALUES ($1, $2, $3, $4, clock_timestamp() + interval '2 minutes') \
        ON CONFLICT ((true)) WHERE verdict IS NULL DO NOTHING RETURNING started_at";

const STILL: &str = "/* reconciliation_lives */ \
    UPDATE reconciliations SET holds_until = clock_timestamp() + interval '2 minutes' \
     WHERE run_id = $1 AND verdict IS NULL";

/// A run that is to be made.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// Drawn by the caller.
    pub id: Uuid,
    /// The provider's name, as attempts record it.
    pub provider: &'static str,
    /// Who wants it.
    pub started_by: &'static str,
    /// When it is asked for.
    pub now: Moment,
    /// What it looks at: everything since then.
    pub since: Moment,
    /// How long another one that did not fail has to have begun before.
    pub pause: Duration,
}

/// What came of asking for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is ours.
    Now,
    /// Another run is at work since then.
    AtWork(Moment),
    /// One began then, too short a time ago.
    TooSoon(Moment),
}

impl Reconciliations {
    /// Takes the turn for a run, unless another is at work or was made just now.
    ///
    /// # Errors
    /// [`DatabaseError`]; a turn that was taken all the same ends by itself within two minutes.
    pub async fn begin(&self, run: &NewRun) -> Result<Begun, DatabaseError> {
        let (since, pause) = (Stamp(run.since), run.pause.as_secs_f64());
        let begun = self.database.write("begin_reconciliation", async |transaction| {
            transaction.batch_execute(GIVE_UP).await?;
            transaction.batch_execute(FORGET).await?;
            let pause: &[(&(dyn ToSql + Sync), Type)] = &[(&pause, Type::FLOAT8)];
            let in_the_way = transaction.query_typed_opt(IN_THE_WAY, pause).await?;
            if in_the_way.is_some() {
                return Ok((false, in_the_way));
            }
            let params: &[(&(dyn ToSql + Sync), Type)] = &[
                (&run.id, Type::UUID),
                (&run.provider, Type::TEXT),
                (&run.started_by, Type::TEXT),
                (&since, Type::TIMESTAMPTZ),
            ];
            match transaction.query_typed_opt(BEGIN, params).await? {
                Some(row) => Ok((true, Some(row))),
                None => Ok((false, transaction.query_typed_opt(IN_THE_WAY, pause).await?)),
            }
        });
        let (is_ours, row) = begun.await?;
        Ok(match row {
            _ if is_ours => Begun::Now,
            // It was faster, and has failed by now.
            None => Begun::AtWork(run.now),
            Some(row) => {
                let at = columns::moment(&row, "started_at")?;
                let at_work = columns::get(&row, "at_work")?;
                if at_work { Begun::AtWork(at) } else { Begun::TooSoon(at) }
            }
        })
    }

    /// Says that the run lives. No, if its turn has been given up.
    ///
    /// # Errors
    /// [`DatabaseError`] if that could not be said.
    pub async fn still_at_work(&self, run: Uuid) -> Result<bool, DatabaseError> {
        let said = self.database.write("reconciliation_lives", async |transaction| {
            transaction.execute_typed(STILL, &[(&run, Type::UUID)]).await
        });
        Ok(said.await? == 1)
    }
}
