//! What is published of a room's draw, from its rows.

use taquilla_engine::id::{EventId, QueueTicketId};
use taquilla_engine::waiting_room::draw::{Commitment, PublicValue, Secret};
use tokio_postgres::types::{ToSql, Type};

use crate::columns;
use crate::database::{Database, DatabaseError};

const HEAD: &str = "/* published_draw */ \
    SELECT secret, present, value FROM queue_heads WHERE event_no = $1";
const TICKETS: &str = "/* published_draw */ \
    SELECT ticket_id FROM queue_tickets \
     WHERE event_no = $1 AND number < $2 ORDER BY number";

/// A draw as far as it may be known.
#[derive(Clone, Debug)]
pub struct PublishedDraw {
    /// There before anybody can join.
    pub commitment: Commitment,
    /// Once the sale is open.
    pub drawn: Option<PublishedTickets>,
}

/// What the draw was made from.
#[derive(Clone, Debug)]
pub struct PublishedTickets {
    /// What the commitment is of.
    pub secret: Secret,
    /// What the tickets make.
    pub value: PublicValue,
    /// Of those who took part, in the order of joining.
    pub tickets: Vec<QueueTicketId>,
}

/// The rows of draws. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Draws {
    database: Database,
}

impl Draws {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// What may be known of this event's draw; none before its room has had an owner.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn published(&self, event: EventId) -> Result<Option<PublishedDraw>, DatabaseError> {
        let number = event.event().0;
        // What was opened is opened for ever: the second statement may see more, and is bounded by the first.
        let of_it: &[(&(dyn ToSql + Sync), Type)] = &[(&number, Type::INT4)];
        let head = self.database.read_durable("published_draw", HEAD, of_it);
        let Some(head) = head.await?.pop() else { return Ok(None) };
        let bytes = |bytes: &[u8]| -> Option<[u8; 32]> { bytes.try_into().ok() };
        let secret = Secret::new(columns::parse(&head, "secret", bytes)?);
        let commitment = secret.commitment(event);
        let present: Option<i32> = columns::get(&head, "present")?;
        let Some(present) = present else {
            return Ok(Some(PublishedDraw { commitment, drawn: None }));
        };
        let value = PublicValue(columns::parse(&head, "value", bytes)?);
        let rows = self.database.read("published_draw", async |client| {
            client.query_typed(TICKETS, &[(&number, Type::INT4), (&present, Type::INT4)]).await
        });
        let ticket = |row| columns::id(row, "ticket_id", QueueTicketId::parse);
        let tickets = rows.await?.iter().map(ticket).collect::<Result<_, _>>()?;
        Ok(Some(PublishedDraw {
            commitment,
            drawn: Some(PublishedTickets { secret, value, tickets }),
        }))
    }
}
