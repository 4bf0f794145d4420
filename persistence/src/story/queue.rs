//! A buyer's places in the waiting room: joined, called, come, left. Rows keep the last of what became of a place
//! and not what was before, so one that was given up and taken up again tells only that it was joined.

use taquilla_engine::id::{EventId, EventNumber, QueueTicketId};
use taquilla_engine::waiting_room::draw::{Draw, PublicValue, Secret};
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::collected::Collected;
use super::entry::{Entry, Position, What, Who, source};
use super::{Interrupted, Subject};
use crate::columns::{self, BrokenRow};
use crate::pool::PooledClient;

const HEAD: &str = "/* story_queue_head */ \
    SELECT e.event_id, h.secret, h.value, h.present FROM queue_heads h JOIN events e USING (event_no) \
     WHERE event_no = $1";
const PLACES: &str = "/* story_queue_places */ \
    SELECT number, ticket_id, joined_at, turn, turned_at, until FROM queue_tickets \
     WHERE event_no = $1 AND buyer = $2 ORDER BY number LIMIT 100";
const CALLED: &str = "/* story_queue_called */ \
    SELECT at FROM queue_calls WHERE event_no = $1 AND served > $2 ORDER BY served LIMIT 1";

pub(super) async fn read(
    client: &PooledClient,
    event: EventNumber,
    subject: &Subject,
    collected: &mut Collected,
) -> Result<(), Interrupted> {
    let Subject::Buyer(buyer) = subject else { return Ok(()) };
    let of_event = (&event.0 as _, Type::INT4);
    let Some(head) = client.query_typed_opt(HEAD, std::slice::from_ref(&of_event)).await? else {
        return Ok(());
    };
    let draw = draw(&head)?;
    let name = buyer.as_str();
    for row in client.query_typed(PLACES, &[of_event.clone(), (&name, Type::TEXT)]).await? {
        let number = columns::count::<i32>(&row, "number")?;
        let ticket = columns::id(&row, "ticket_id", QueueTicketId::parse)?.uuid();
        let at = |column| columns::moment(&row, column);
        let mut tell = |at, minor, who, what| {
            let position = Position::of_id(at, source::QUEUE, ticket, minor);
            collected.add(Entry { position, who, what });
        };
        let buyer = || Who::Buyer(name.to_owned());
        tell(at("joined_at")?, 0, buyer(), What::QueueJoined { ticket, number });
        if let Some(draw) = &draw {
            let position = draw.position(number);
            let below = columns::integer(position);
            let called = [of_event.clone(), (&below as _, Type::INT4)];
            if let Some(call) = client.query_typed_opt(CALLED, &called).await? {
                let called = What::QueueCalled { ticket, position };
                tell(columns::moment(&call, "at")?, 1, Who::Clock, called);
            }
        }
        match columns::get::<Option<i16>>(&row, "turn")? {
            None => {}
            Some(came @ (0 | 2)) => {
                let until = columns::moment_if_any(&row, "until")?;
                let came = What::QueueAdmitted { ticket, until, has_bought: came == 2 };
                tell(at("turned_at")?, 2, buyer(), came);
            }
            Some(1) => tell(at("turned_at")?, 2, buyer(), What::QueueLeft { ticket }),
            Some(other) => return Err(BrokenRow::new("turn", other).into()),
        }
    }
    Ok(())
}

/// None before the opening.
fn draw(head: &Row) -> Result<Option<Draw>, BrokenRow> {
    if columns::get::<Option<i32>>(head, "present")?.is_none() {
        return Ok(None);
    }
    let bytes =
        |column| columns::parse(head, column, |bytes: &[u8]| <[u8; 32]>::try_from(bytes).ok());
    let event = columns::parse(head, "event_id", |id: Uuid| EventId::parse(id))?;
    let (secret, value) = (Secret::new(bytes("secret")?), PublicValue(bytes("value")?));
    Ok(Some(Draw::new(event, &secret, value, columns::count::<i32>(head, "present")?)))
}
