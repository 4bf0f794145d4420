//! What operators did to the event. What names seats is in the story of these seats, what names an order
//! in the order's, and what is of the whole event in all.

use serde_json::Value;
use taquilla_engine::id::EventNumber;
use taquilla_engine::name::canonical;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::thread::Thread;
use super::{Interrupted, Subject};
use crate::columns;
use crate::pool::PooledClient;

const PAGE: &str = "/* story_actions */ \
    SELECT action_id, at, who, what, why, detail FROM operator_actions \
     WHERE event_no = $1 AND action_id > $2 ORDER BY action_id LIMIT 100";

pub(super) async fn read(
    client: &PooledClient,
    event: EventNumber,
    subject: &Subject,
    thread: &Thread,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let mut read_to = Uuid::nil();
    loop {
        let params = [(&event.0 as _, Type::INT4), (&read_to as _, Type::UUID)];
        let found = client.query_planned(PAGE, &params).await?;
        for row in &found {
            let action: Uuid = columns::get(row, "action_id")?;
            read_to = action;
            let detail: Value = columns::get(row, "detail")?;
            if !touches(&detail, subject, thread) {
                continue;
            }
            collected.add(Entry {
                position: Position::of_id(columns::moment(row, "at")?, source::ACTIONS, action, 0),
                who: Who::Operator(columns::get(row, "who")?),
                what: What::Operated {
                    action,
                    deed: columns::get(row, "what")?,
                    why: columns::get(row, "why")?,
                    detail,
                },
            });
        }
        if found.is_empty() {
            return Ok(());
        }
    }
}

/// Whether an action with this detail belongs to the story.
fn touches(detail: &Value, subject: &Subject, thread: &Thread) -> bool {
    if let Some(order) = detail.get("order_id").and_then(Value::as_str) {
        return Uuid::parse_str(order).is_ok_and(|order| thread.orders.contains_key(&order));
    }
    let mut lists = ["block", "unblock"].iter().filter_map(|list| detail.get(list)).peekable();
    if lists.peek().is_none() {
        return true;
    }
    match subject {
        Subject::Seat { label, .. } => {
            let labels = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
            let label = canonical(label);
            labels.into_iter().any(|named| canonical(named) == label)
        }
        Subject::Buyer(_) | Subject::Hold(_) | Subject::Order(_) => false,
    }
}
