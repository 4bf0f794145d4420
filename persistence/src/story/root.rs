//! Where a story begins: an order's with its hold, whose id the history has first.

use taquilla_engine::id::{EventNumber, HoldId, OrderId};
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::{Interrupted, Subject};
use crate::columns;
use crate::pool::PooledClient;

const HOLD: &str =
    "/* story_hold */ SELECT hold_id FROM holds WHERE hold_id = $1 AND event_no = $2";
const ORDER: &str =
    "/* story_order */ SELECT hold_id FROM orders WHERE order_id = $1 AND event_no = $2";

/// What all in the story hangs on.
#[derive(Clone, Debug)]
pub(super) enum Root {
    Seat(u32),
    Buyer(String),
    Hold(Uuid),
}

/// `None` if the event has no such hold or order.
pub(super) async fn find(
    client: &PooledClient,
    event: EventNumber,
    subject: &Subject,
) -> Result<Option<Root>, Interrupted> {
    let (sql, id) = match subject {
        Subject::Seat { seat, .. } => return Ok(Some(Root::Seat(seat.0))),
        Subject::Buyer(buyer) => return Ok(Some(Root::Buyer(buyer.as_str().to_owned()))),
        Subject::Hold(hold) => (HOLD, HoldId::uuid(*hold)),
        Subject::Order(order) => (ORDER, OrderId::uuid(*order)),
    };
    let found = client.query_typed_opt(sql, &[(&id, Type::UUID), (&event.0, Type::INT4)]).await?;
    Ok(found.map(|row| columns::get(&row, "hold_id").map(Root::Hold)).transpose()?)
}
