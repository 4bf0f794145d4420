//! What holds for the whole site, whatever the event: whether an operator has stopped all purchases, or
//! a reconciliation new payments. A row, so that a restart does not open what was shut.

use std::sync::Arc;

use serde_json::json;
use taquilla_engine::moment::Moment;
use tokio::sync::Mutex;
use tokio_postgres::{Client, Error};

use crate::columns;
use crate::database::{Database, DatabaseError};
use crate::operator_action::OperatorAction;
use crate::pool::PooledClient;

const READ: &str = "/* read_site */ SELECT purchases_paused FROM site";

const CLOSED: &str =
    "/* read_payments_closed */ SELECT payments_closed, payments_closed_at FROM site";

const PAUSE: &str = "/* pause_purchases */ UPDATE site SET purchases_paused = $1";

/// Opens what a reconciliation closed, too; says why it was.
const RESUME: &str = "/* pause_purchases */ \
    WITH was AS (SELECT one_row, payments_closed FROM site FOR UPDATE) \
    UPDATE site \
       SET purchases_paused = NULL, payments_closed = NULL, payments_closed_at = NULL \
      FROM was WHERE was.one_row = site.one_row RETURNING was.payments_closed";

/// Whoever opens payments has seen the last report, and all that is in it.
const ACCEPT: &str = "/* pause_purchases */ \
    UPDATE reconciliations SET accepted_by = $1, accepted_at = clock_timestamp() \
     WHERE run_id = (SELECT run_id FROM reconciliations WHERE verdict <> 'failed' \
                      ORDER BY started_at DESC LIMIT 1)";

/// The site's row. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Site {
    database: Database,
    /// Whoever is told of changes is told in the order of the rows.
    changing: Arc<Mutex<()>>,
}

impl Site {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Site {
        Site { database, changing: Arc::default() }
    }

    /// Why an operator has stopped all purchases, if one has.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn purchases_paused(&self) -> Result<Option<String>, DatabaseError> {
        let read = async |client: PooledClient| client.query_one(READ, &[]).await;
        let row = self.database.read("read_site", read).await?;
        Ok(columns::get(&row, "purchases_paused")?)
    }

    /// Why a reconciliation has closed new payments, and since when, if one has.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn payments_closed(&self) -> Result<Option<(String, Moment)>, DatabaseError> {
        let read = async |client: PooledClient| client.query_typed_one(CLOSED, &[]).await;
        let row = self.database.read("read_payments_closed", read).await?;
        let why: Option<String> = columns::get(&row, "payments_closed")?;
        Ok(why.zip(columns::moment_if_any(&row, "payments_closed_at")?))
    }

    /// Stops all purchases for this reason, or lets them go on, and with them payments that a
    /// reconciliation has closed; returns why they were, if this has opened them. Idempotent, but each
    /// time leaves a row in the trail. One change follows the other.
    ///
    /// `tell` is called before a stop is written, and after a resumption is durable: whatever comes of
    /// either write, this process sells nothing that the row may forbid. Whoever gets an error repeats
    /// his call; until then purchases are stopped here.
    ///
    /// # Errors
    /// [`DatabaseError`]; unless it is certain that nothing was written, the row may say either.
    pub async fn pause_purchases(
        &self,
        why: Option<&str>,
        action: &OperatorAction,
        tell: impl FnOnce(),
    ) -> Result<Option<String>, DatabaseError> {
        let _turn = self.changing.lock().await;
        let mut tell = Some(tell);
        if why.is_some()
            && let Some(tell) = tell.take()
        {
            tell();
        }
        let written = self.database.write("pause_purchases", async |transaction| match why {
            Some(_) => {
                transaction.execute(PAUSE, &[&why]).await?;
                let detail = json!({"reason": action.why});
                action.record(&transaction, None, "pause_purchases", &detail).await?;
                Ok(None)
            }
            None => resume(&transaction, action).await,
        });
        let were_closed = written.await?;
        if let Some(tell) = tell {
            tell();
        }
        Ok(were_closed)
    }
}

async fn resume(transaction: &Client, action: &OperatorAction) -> Result<Option<String>, Error> {
    let closed: Option<String> =
        transaction.query_one(RESUME, &[]).await?.try_get("payments_closed")?;
    let mut detail = json!({"reason": action.why});
    if let Some(closed) = &closed {
        transaction.execute(ACCEPT, &[&action.who]).await?;
        detail["payments_were_closed"] = closed.as_str().into();
    }
    action.record(transaction, None, "resume_purchases", &detail).await?;
    Ok(closed)
}
