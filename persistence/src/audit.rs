//! Whether the rows agree with each other: every rule of the house, asked of one snapshot.
//!
//! What a batch changes it changes in one commit, so each rule holds in any snapshot, at any moment
//! and under any load; an overdue hold that nobody has ended yet is active, as its row says. Nothing
//! here is taken on trust from a constraint: a rule that the schema keeps too is asked all the same.

mod buyers;
mod general;
mod history;
mod holds;
mod invariant;
mod money;
mod orders;
mod queues;
mod returns;
mod seats;
mod tickets;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::id::EventNumber;
use tokio::sync::Semaphore;
use tokio_postgres::{Error, Row};

use self::invariant::Invariant;
use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::pool::PooledClient;

/// Every event of a site, on a busy server. The snapshot keeps old row versions alive meanwhile.
const AUDIT_MAX: Duration = Duration::from_secs(300);

/// One rule over 60,000 seats takes tens of milliseconds; a statement's usual bound is for buyers.
const PATIENCE: &str = "/* audit */ SET LOCAL statement_timeout = '60s'";

/// Audits at a time: each keeps a connection for as long as it takes, and buyers' reads need the others.
const AT_A_TIME: usize = 2;

/// All rules, by what they are about.
const INVARIANTS: [&[Invariant]; 10] = [
    seats::INVARIANTS,
    general::INVARIANTS,
    buyers::INVARIANTS,
    holds::INVARIANTS,
    orders::INVARIANTS,
    money::INVARIANTS,
    tickets::INVARIANTS,
    returns::INVARIANTS,
    queues::INVARIANTS,
    history::INVARIANTS,
];

/// The auditor. Clones share the connections and the turns.
#[derive(Clone, Debug)]
pub struct Audit {
    database: Database,
    turns: Arc<Semaphore>,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// Whether every invariant holds.
    pub ok: bool,
    /// One entry for each invariant, always all of them, in the same order.
    pub invariants: Vec<InvariantReport>,
}

/// What was found of one invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantReport {
    /// Its name: a sentence.
    pub name: &'static str,
    /// How many rows, or groups of rows, break it.
    pub violations: u64,
    /// The first few, in words.
    pub examples: Vec<String>,
}

impl Audit {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Audit {
        Audit { database: database.within(AUDIT_MAX), turns: Arc::new(Semaphore::new(AT_A_TIME)) }
    }

    /// The names of all invariants, in the report's order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        INVARIANTS.into_iter().flatten().map(|invariant| invariant.name)
    }

    /// Audits one event, or all of them, in five minutes at most.
    ///
    /// # Errors
    /// [`DatabaseError::Overloaded`], at once, while two others are at work; else the database's.
    pub async fn run(&self, event: Option<EventNumber>) -> Result<AuditReport, DatabaseError> {
        let _turn = self.turns.try_acquire().map_err(|_| DatabaseError::Overloaded)?;
        let found = self.database.snapshot("audit", async |client| violations(client, event).await);
        let found = found.await?;
        let invariants: Vec<InvariantReport> =
            Audit::names().zip(found).map(report).collect::<Result<_, _>>()?;
        let ok = invariants.iter().all(|invariant| invariant.violations == 0);
        Ok(AuditReport { ok, invariants })
    }
}

async fn violations(
    client: PooledClient,
    event: Option<EventNumber>,
) -> Result<Vec<Vec<Row>>, Error> {
    client.batch_execute(PATIENCE).await?;
    client.plan_by_parameters().await?;
    let event = event.map(|event| event.0);
    let mut found = Vec::new();
    for invariant in INVARIANTS.into_iter().flatten() {
        found.push(client.query(invariant.sql, &[&event]).await?);
    }
    Ok(found)
}

fn report((name, found): (&'static str, Vec<Row>)) -> Result<InvariantReport, BrokenRow> {
    let violations = found.first().map(|row| columns::get::<i64>(row, "violations")).transpose()?;
    Ok(InvariantReport {
        name,
        violations: violations.unwrap_or_default().unsigned_abs(),
        examples: found
            .iter()
            .map(|row| columns::get(row, "violation"))
            .collect::<Result<_, _>>()?,
    })
}
