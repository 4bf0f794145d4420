//! What holds for the whole site, whatever the event: so far, whether an operator has stopped all
//! purchases. A row, so that a restart does not open what was shut.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Mutex;

use crate::database::{Database, DatabaseError};
use crate::operator_action::OperatorAction;
use crate::rows;

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
    pub async fn purchases_paused(&self) -> Result<Option<String>, DatabaseError> {
        let row = self.database.read(async |client| client.query_one(READ, &[]).await).await?;
        Ok(rows::get(&row, "purchases_paused")?)
    }

    /// Stops all purchases for this reason, or lets them go on. Idempotent, but each time leaves a row
    /// in the trail. `tell` is called once it is durable, by one change after the other.
    pub async fn pause_purchases(
        &self,
        why: Option<&str>,
        action: &OperatorAction,
        tell: impl FnOnce(),
    ) -> Result<(), DatabaseError> {
        let _turn = self.changing.lock().await;
        let what = if why.is_some() { "pause_purchases" } else { "resume_purchases" };
        let written = self.database.write("pause_purchases", async |transaction| {
            transaction.execute(PAUSE, &[&why]).await?;
            action.record(&transaction, None, what, &json!({"reason": action.why})).await
        });
        written.await?;
        tell();
        Ok(())
    }
}
