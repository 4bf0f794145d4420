//! What holds for the whole site, whatever the event: so far, whether an operator has stopped all
//! purchases. A row, so that a restart does not open what was shut.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Mutex;

use crate::columns;
use crate::database::{Database, DatabaseError};
use crate::operator_action::OperatorAction;
use crate::pool::PooledClient;

const READ: &str = "/* read_site */ SELECT purchases_paused FROM site";

const PAUSE: &str = "/* pause_purchases */ UPDATE site SET purchases_paused = $1";

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

    /// Stops all purchases for this reason, or lets them go on. Idempotent, but each time leaves a row
    /// in the trail. One change follows the other.
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
    ) -> Result<(), DatabaseError> {
        let _turn = self.changing.lock().await;
        let mut tell = Some(tell);
        if why.is_some()
            && let Some(tell) = tell.take()
        {
            tell();
        }
        let what = if why.is_some() { "pause_purchases" } else { "resume_purchases" };
        let written = self.database.write("pause_purchases", async |transaction| {
            transaction.execute(PAUSE, &[&why]).await?;
            action.record(&transaction, None, what, &json!({"reason": action.why})).await
        });
        written.await?;
        if let Some(tell) = tell {
            tell();
        }
        Ok(())
    }
}
