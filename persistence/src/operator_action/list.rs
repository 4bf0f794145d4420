//! The trail, newest first, a page at a time.

use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::page::{Page, one_more_than};
use crate::stamp::Stamp;

/// In the order of the indexes on age.
const LIST: &str = "/* list_operator_actions */ \
    SELECT action_id, e.event_id, at, who, what, why, detail \
      FROM operator_actions a LEFT JOIN events e USING (event_no) \
     WHERE ($1::integer IS NULL OR event_no = $1) \
       AND ($2::timestamptz IS NULL OR (at <= $2 AND (at < $2 OR action_id > $3::uuid))) \
     ORDER BY at DESC, action_id LIMIT $4";

/// A row of the trail.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRecord {
    /// Drawn with the deed.
    pub id: Uuid,
    /// What event was acted on; none for what is of no event.
    pub event: Option<EventId>,
    /// When.
    pub at: Moment,
    /// The operator's `sub`, or the program's own name.
    pub who: String,
    /// One of few words, such as `block_seats`.
    pub what: String,
    /// In the operator's words; may be empty.
    pub why: String,
    /// What was asked.
    pub detail: serde_json::Value,
}

/// Where a page of the trail begins: after this row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionPosition {
    /// Rows are listed by this, newest first,
    pub at: Moment,
    /// and those of one instant by this.
    pub action: Uuid,
}

/// The trail's rows, for reading. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Trail {
    database: Database,
}

impl Trail {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Trail {
        Trail { database }
    }

    /// The next `limit` rows after the position, of one event or of all.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn list(
        &self,
        event: Option<EventNumber>,
        after: Option<ActionPosition>,
        limit: u16,
    ) -> Result<Page<ActionRecord, ActionPosition>, DatabaseError> {
        let event = event.map(|event| event.0);
        let after_time = after.map(|position| Stamp(position.at));
        let after_action = after.map(|position| position.action);
        let rows = self.database.read("list_operator_actions", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 4] = [
                (&event, Type::INT4),
                (&after_time, Type::TIMESTAMPTZ),
                (&after_action, Type::UUID),
                (&one_more_than(limit), Type::INT8),
            ];
            client.query_planned(LIST, &params).await
        });
        let actions: Vec<ActionRecord> =
            rows.await?.iter().map(read_action).collect::<Result<_, _>>()?;
        let position = |last: &ActionRecord| ActionPosition { at: last.at, action: last.id };
        Ok(Page::cut(actions, limit, position))
    }
}

fn read_action(row: &Row) -> Result<ActionRecord, BrokenRow> {
    Ok(ActionRecord {
        id: columns::get(row, "action_id")?,
        event: columns::parse(row, "event_id", |id: Option<Uuid>| match id {
            None => Some(None),
            Some(id) => EventId::parse(id).map(Some),
        })?,
        at: columns::moment(row, "at")?,
        who: columns::get(row, "who")?,
        what: columns::get(row, "what")?,
        why: columns::get(row, "why")?,
        detail: columns::get(row, "detail")?,
    })
}
