//! Named transactions: measured by name, tried again when they lose against another.

use std::time::{Duration, Instant};

use tokio_postgres::Error;

use super::loan::Loan;
use super::{Pool, PoolError, PooledClient};
use crate::{metric, outcome};

/// A conflict is rare and short; a transaction that loses so often meets a bug, not bad luck.
const RUNS_MAX: u32 = 5;
/// About one transaction's length; doubled each time, the actual pause is anything below.
const PAUSE_BASE: Duration = Duration::from_millis(5);

/// A transaction that did not commit, as far as is known.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// There was no connection.
    #[error(transparent)]
    NotStarted(#[from] PoolError),
    /// Nothing of it stands.
    #[error("the transaction was rolled back")]
    RolledBack(#[source] Error),
    /// The commit was sent and not answered. Run it again: it is idempotent.
    #[error("the outcome of the transaction is unknown")]
    Unknown(#[source] Error),
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Write,
    Snapshot,
    /// Each statement commits itself.
    Autocommit,
}

impl Pool {
    /// Runs a transaction, again after a serialisation failure, a deadlock, or a plan that is
    /// outdated, at most five times.
    ///
    /// `work` must be idempotent, since it may run more than once and its outcome may stay unknown.
    /// A statement that failed inside it rolls everything back even if `work` swallows the error.
    /// `name` is the metric's label; the SQL inside opens with it as a comment.
    ///
    /// # Errors
    /// [`TransactionError`]: not started, rolled back, or of unknown outcome.
    pub async fn run_tx<T, F>(
        &self,
        name: &'static str,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, TransactionError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.run(name, Kind::Write, work).await
    }

    /// Runs a statement that is a transaction of its own: one message instead of three. If `work` sends
    /// several, those before the last must be right to stand alone. All else as in [`Pool::run_tx`].
    ///
    /// # Errors
    /// [`TransactionError`].
    pub async fn run_autocommit<T, F>(
        &self,
        name: &'static str,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, TransactionError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.run(name, Kind::Autocommit, work).await
    }

    /// Runs reads that must agree with each other: one snapshot, in which nothing can be written.
    ///
    /// # Errors
    /// [`TransactionError`]; nothing was written in any case.
    pub async fn run_snapshot<T, F>(
        &self,
        name: &'static str,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, TransactionError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        self.run(name, Kind::Snapshot, work).await
    }

    async fn run<T, F>(
        &self,
        name: &'static str,
        kind: Kind,
        work: impl Fn(PooledClient) -> F,
    ) -> Result<T, TransactionError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let started = Instant::now();
        let mut attempt = 1;
        let result = loop {
            match self.attempt(name, kind, &work).await {
                Err(TransactionError::RolledBack(error))
                    if attempt < RUNS_MAX
                        && (outcome::is_conflict(&error) || outcome::is_outdated_plan(&error)) =>
                {
                    metric::transaction_retried(name);
                    tokio::time::sleep(pause_after(attempt)).await;
                    attempt += 1;
                }
                result => break result,
            }
        };
        metric::transaction_finished(name, label(&result), started.elapsed());
        result
    }

    async fn attempt<T, F>(
        &self,
        name: &'static str,
        kind: Kind,
        work: &impl Fn(PooledClient) -> F,
    ) -> Result<T, TransactionError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let loan = Loan::new(self.connection().await?);
        let result = transact(&loan, name, kind, work).await;
        let in_doubt = match &result {
            Ok(_) | Err(TransactionError::NotStarted(_)) => false,
            Err(TransactionError::RolledBack(error)) => {
                self.evict_if_condemned(error) || kind.rollback(&loan, name).await.is_err()
            }
            Err(TransactionError::Unknown(error)) => {
                self.evict_if_condemned(error);
                true
            }
        };
        self.end(loan, in_doubt);
        result
    }
}

async fn transact<T, F>(
    loan: &Loan,
    name: &'static str,
    kind: Kind,
    work: &impl Fn(PooledClient) -> F,
) -> Result<T, TransactionError>
where
    F: Future<Output = Result<T, Error>>,
{
    let work = work(loan.client());
    let client = loan.client();
    // Whatever fails before COMMIT is sent cannot have committed.
    let worked = match kind {
        Kind::Write => {
            let begin = format!("/* {name} */ BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE");
            match client.batch_execute(&begin).await {
                Ok(()) => work.await,
                Err(error) => Err(error),
            }
        }
        // Sent with the first statement, which must not run without it only if it writes.
        Kind::Snapshot => {
            let begin = format!("/* {name} */ BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            tokio::try_join!(biased; client.batch_execute(&begin), work).map(|((), value)| value)
        }
        Kind::Autocommit => return work.await.map_err(unless_refused),
    };
    let value = worked.map_err(TransactionError::RolledBack)?;
    // The driver calls a COMMIT of an aborted transaction a success. The statement before it
    // fails there, and the server skips the rest of the message.
    let commit = match kind {
        Kind::Snapshot | Kind::Autocommit => format!("/* {name} */ COMMIT"),
        Kind::Write => format!("/* {name} */ SELECT 1; COMMIT"),
    };
    client.batch_execute(&commit).await.map_err(unless_refused)?;
    Ok(value)
}

/// The failure of a commit.
fn unless_refused(error: Error) -> TransactionError {
    if outcome::is_definite_no(&error) {
        TransactionError::RolledBack(error)
    } else {
        TransactionError::Unknown(error)
    }
}

impl Kind {
    async fn rollback(self, loan: &Loan, name: &'static str) -> Result<(), Error> {
        match self {
            Kind::Write | Kind::Snapshot => {
                loan.client().batch_execute(&format!("/* {name} */ ROLLBACK")).await
            }
            Kind::Autocommit => Ok(()),
        }
    }
}

fn pause_after(attempt: u32) -> Duration {
    (PAUSE_BASE * 2_u32.pow(attempt)).mul_f64(rand::random::<f64>())
}

fn label<T>(result: &Result<T, TransactionError>) -> &'static str {
    match result {
        Ok(_) => "committed",
        Err(TransactionError::NotStarted(_)) => "not_started",
        Err(TransactionError::RolledBack(_)) => "rolled_back",
        Err(TransactionError::Unknown(_)) => "unknown",
    }
}
