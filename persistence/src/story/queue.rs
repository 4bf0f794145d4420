//! A buyer's places in the waiting room: joined, called, come, left. A place that was given up and taken up again
//! before the draw tells only that it was joined; of one that was given up later no row says whether its buyer bought.

use taquilla_engine::id::{EventId, EventNumber, QueueTicketId};
use taquilla_engine::moment::Moment;
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
    SELECT number, ticket_id, joined_at, turn, turned_at, until, \
           coalesce(came_at, CASE WHEN turn IN (0, 2) THEN turned_at END) AS came_at FROM queue_tickets \
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
        let turn: Option<i16> = columns::get(&row, "turn")?;
        let left_at = if turn == Some(1) { Some(at("turned_at")?) } else { None };
        let came_at = columns::moment_if_any(&row, "came_at")?;
        if let Some(draw) = &draw {
            let position = draw.position(number);
            let below = columns::integer(position);
            let called = [of_event.clone(), (&below as _, Type::INT4)];
            let call = client.query_typed_opt(CALLED, &called).await?;
            let called_at = call.map(|call| columns::moment(&call, "at")).transpose()?;
            // Who had left by then was not called.
            let was_there =
                |at: &Moment| came_at.is_some() || left_at.is_none_or(|left| left > *at);
            if let Some(called_at) = called_at.filter(was_there) {
                tell(called_at, 1, Who::Clock, What::QueueCalled { ticket, position });
            }
        }
        if let Some(came_at) = came_at {
            let until = columns::moment_if_any(&row, "until")?;
            let came = What::QueueAdmitted { ticket, until, has_bought: turn == Some(2) };
            tell(came_at, 2, buyer(), came);
        }
        if let Some(left_at) = left_at {
            tell(left_at, 3, buyer(), What::QueueLeft { ticket });
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
