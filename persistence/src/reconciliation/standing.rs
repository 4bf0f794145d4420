//! What is known of reconciliation: the last run, what has failed since, and whether payments are closed.

use serde_json::{Map, Value};
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::reconciliation::{Difference, DifferenceKind, Verdict};
use tokio_postgres::Row;
use tokio_postgres::types::{Json, ToSql, Type};
use uuid::Uuid;

use super::Reconciliations;
use super::stored::{read_counts, read_differences};
use crate::columns::{self, BrokenRow};
use crate::database::DatabaseError;

const SITE: &str = "/* reconciliation_standing */ \
    SELECT payments_closed, payments_closed_at FROM site";

macro_rules! made {
    ($which:literal) => {
        concat!(
            "/* reconciliation_standing */ \
             SELECT run_id, provider, started_by, started_at, ended_at, since, verdict, records, \
                    attempts, in_flight, unsafe_count, counts, differences, accepted_by, accepted_at \
               FROM reconciliations WHERE verdict <> 'failed' ",
            $which
        )
    };
}

const LAST: &str = made!("ORDER BY started_at DESC LIMIT 1");

const OF_ID: &str = made!("AND run_id = $1");

const FAILED: &str = "/* reconciliation_standing */ \
    SELECT ended_at, failure FROM reconciliations WHERE verdict = 'failed' \
     ORDER BY started_at DESC LIMIT 1";

const AT_WORK: &str = "/* reconciliation_standing */ \
    SELECT started_at FROM reconciliations WHERE verdict IS NULL";

/// How reconciliation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Why new payments are closed, and since when, if they are.
    pub closed: Option<(String, Moment)>,
    /// The last run that was made, or the one that was asked about.
    pub last: Option<RunRecord>,
    /// The last run that could not be made: when it was given up, and why.
    pub failed: Option<(Moment, String)>,
    /// Since when one is being made.
    pub at_work: Option<Moment>,
}

/// A run that was made, with what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// Its id.
    pub id: Uuid,
    /// Whose books were read.
    pub provider: String,
    /// Who wanted it.
    pub started_by: String,
    /// When it began.
    pub started_at: Moment,
    /// When it was done.
    pub ended_at: Moment,
    /// The beginning of what it looked at; its end is when the run began.
    pub since: Moment,
    /// Whether the records agree.
    pub verdict: Verdict,
    /// Records of the provider's that were compared.
    pub records: u64,
    /// Attempts of ours that were looked at.
    pub attempts: u64,
    /// Of these, attempts on their way.
    pub in_flight: u64,
    /// How many differences could mean that money is wrong.
    pub unsafe_count: u64,
    /// How many there are of each kind; kinds without any are left out.
    pub counts: Vec<(DifferenceKind, u64)>,
    /// The first of them.
    pub differences: Vec<Difference>,
    /// Who opened payments again with these differences before his eyes, and when.
    pub accepted: Option<(String, Moment)>,
}

impl RunRecord {
    /// Differences that are counted and not spelt out.
    #[must_use]
    pub fn more(&self) -> u64 {
        let total: u64 = self.counts.iter().map(|(_, count)| count).sum();
        total.saturating_sub(self.differences.len() as u64)
    }
}

impl Reconciliations {
    /// How reconciliation stands, in one snapshot.
    ///
    /// # Errors
    /// [`DatabaseError`] if that cannot be read.
    pub async fn standing(&self) -> Result<Standing, DatabaseError> {
        self.standing_with(LAST, &[]).await
    }

    /// The same, with this run in the place of the last: others may have been made since.
    ///
    /// # Errors
    /// [`DatabaseError`] if that cannot be read.
    pub async fn standing_after(&self, run: Uuid) -> Result<Standing, DatabaseError> {
        self.standing_with(OF_ID, &[(&run, Type::UUID)]).await
    }

    async fn standing_with(
        &self,
        which: &'static str,
        params: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Standing, DatabaseError> {
        let read = self.database.snapshot("reconciliation_standing", async |client| {
            Ok((
                client.query_typed_one(SITE, &[]).await?,
                client.query_typed_opt(which, params).await?,
                client.query_typed_opt(FAILED, &[]).await?,
                client.query_typed_opt(AT_WORK, &[]).await?,
            ))
        });
        let (site, last, failed, at_work) = read.await?;
        let closed: Option<String> = columns::get(&site, "payments_closed")?;
        let closed_at = columns::moment_if_any(&site, "payments_closed_at")?;
        let failure = |row: &Row| {
            Ok::<_, BrokenRow>((columns::moment(row, "ended_at")?, columns::get(row, "failure")?))
        };
        Ok(Standing {
            closed: closed.zip(closed_at),
            last: last.as_ref().map(read_run).transpose()?,
            failed: failed.as_ref().map(failure).transpose()?,
            at_work: at_work.as_ref().map(|row| columns::moment(row, "started_at")).transpose()?,
        })
    }
}

fn read_run(row: &Row) -> Result<RunRecord, BrokenRow> {
    let count = |column| columns::total(row, column);
    let Json(counts): Json<Map<String, Value>> = columns::get(row, "counts")?;
    let Json(differences) = columns::get(row, "differences")?;
    let accepted_by: Option<String> = columns::get(row, "accepted_by")?;
    Ok(RunRecord {
        id: columns::get(row, "run_id")?,
        provider: columns::get(row, "provider")?,
        started_by: columns::get(row, "started_by")?,
        started_at: columns::moment(row, "started_at")?,
        ended_at: columns::moment(row, "ended_at")?,
        since: columns::moment(row, "since")?,
        verdict: columns::parse(row, "verdict", |code: &str| Verdict::parse(code))?,
        records: count("records")?,
        attempts: count("attempts")?,
        in_flight: count("in_flight")?,
        unsafe_count: count("unsafe_count")?,
        counts: read_counts(&counts)?,
        differences: read_differences(&differences)?,
        accepted: accepted_by.zip(columns::moment_if_any(row, "accepted_at")?),
    })
}
