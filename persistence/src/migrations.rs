//! The schema's numbered steps, embedded, and the check that a server makes before it serves.

use refinery::Migration;
use tokio_postgres::Client;

use crate::connect::{self, ConnectError};
use crate::session::Session;
use crate::settings::DatabaseSettings;

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// Two processes may be started at once; refinery takes no lock. Any constant would do: this one
/// reads `taquilla` in ASCII. The connection's `lock_timeout` bounds the wait.
const LOCK: &str = "/* migration_lock */ SELECT pg_advisory_lock(8386108730234399841)";

const HISTORY_EXISTS: &str =
    "/* schema_history */ SELECT to_regclass('public.refinery_schema_history') IS NOT NULL";
const HISTORY: &str = "/* schema_history */ SELECT version, name, checksum \
    FROM public.refinery_schema_history ORDER BY version";

/// Why the schema could not be brought, or is not, up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The lock was not to be had in time, or the history could not be read.
    #[error("cannot read or lock the schema's history")]
    Driver(#[from] tokio_postgres::Error),
    /// A step failed, or an applied one is not the one in this program.
    #[error("migration failed")]
    Step(#[from] refinery::Error),
    /// Serving needs exactly the schema that this program was built with.
    #[error("the schema is not this program's: applied {applied:?}, expected {expected:?}")]
    NotCurrent {
        /// The steps found, as `V1__name`; one that differs from ours is marked with `*`.
        applied: Vec<String>,
        /// The steps of this program.
        expected: Vec<String>,
    },
}

/// Applies what is missing, one process at a time, and returns the names of the steps applied.
/// Safe to repeat.
///
/// # Errors
/// [`MigrationError`]; each step is applied as a whole or not at all.
pub async fn migrate(settings: &DatabaseSettings) -> Result<Vec<String>, MigrationError> {
    let session = Session::migration(settings);
    let mut driven = connect::connect(settings, &session).await?;
    // The lock is the session's: it ends with the connection, whatever happens below.
    driven.client.batch_execute(LOCK).await?;
    let report = embedded::migrations::runner().run_async(&mut driven.client).await?;
    Ok(report.applied_migrations().iter().map(Migration::to_string).collect())
}

/// Fails with [`MigrationError::NotCurrent`] unless every step of this program, and no other, is
/// applied. Writes nothing.
///
/// # Errors
/// [`MigrationError`]: not current, or not to be read.
pub async fn schema_is_current(settings: &DatabaseSettings) -> Result<(), MigrationError> {
    let driven = connect::connect(settings, &Session::migration(settings)).await?;
    let runner = embedded::migrations::runner();
    let known = runner.get_migrations();
    let mut expected: Vec<String> = known.iter().map(Migration::to_string).collect();
    let mut applied = applied_steps(&driven.client, known).await?;
    expected.sort();
    applied.sort();
    if applied == expected { Ok(()) } else { Err(MigrationError::NotCurrent { applied, expected }) }
}

async fn applied_steps(
    client: &Client,
    known: &[Migration],
) -> Result<Vec<String>, tokio_postgres::Error> {
    if !client.query_one(HISTORY_EXISTS, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(Vec::new());
    }
    let mut applied = Vec::new();
    for row in client.query(HISTORY, &[]).await? {
        let (version, name): (i32, String) = (row.try_get(0)?, row.try_get(1)?);
        let checksum: String = row.try_get(2)?;
        let same = known.iter().any(|step| {
            i64::from(step.version()) == i64::from(version)
                && step.name() == name
                && step.checksum().to_string() == checksum
        });
        applied.push(format!("V{version}__{name}{}", if same { "" } else { "*" }));
    }
    Ok(applied)
}
