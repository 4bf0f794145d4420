//! The trail of what operators did: a row in the same transaction as the deed.

mod list;

use serde_json::Value;
use taquilla_engine::id::EventNumber;
use taquilla_engine::operation::Deed;
use tokio_postgres::types::Json;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

pub use self::list::{ActionPosition, ActionRecord, Trail};

const RECORD: &str = "/* record_operator_action */ \
    INSERT INTO operator_actions (action_id, event_no, who, what, why, detail) \
    VALUES ($1, $2, $3, $4, $5, $6)";

/// Who acts, and why. What is done is told by the call that takes it.
#[derive(Clone, Debug)]
pub struct OperatorAction {
    /// Drawn by the caller.
    pub id: Uuid,
    /// The operator's `sub`, or the program's own name where it acts by itself.
    pub who: String,
    /// In the operator's words; may be empty.
    pub why: String,
}

/// What the edge has written of an owner's deed.
pub(crate) fn detail(deed: &Deed) -> Value {
    serde_json::from_str(&deed.detail).unwrap_or_else(|_| Value::String(deed.detail.to_string()))
}

impl OperatorAction {
    pub(crate) async fn record(
        &self,
        transaction: &Client,
        event: Option<EventNumber>,
        what: &'static str,
        detail: &Value,
    ) -> Result<(), Error> {
        let event = event.map(|event| event.0);
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&self.id, &event, &self.who, &what, &self.why, &Json(detail)];
        transaction.execute(RECORD, &params).await.map(drop)
    }
}
