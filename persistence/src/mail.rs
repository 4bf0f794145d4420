//! Mail about orders, as rows: what buyers are to be told, which mail is due, whom to write to.
//!
//! Consumers of the outboxes note a mail for each batch that issued tickets of an order, and for each
//! refund that was settled; whoever sends takes what is due for a while, and settles or postpones it. A
//! mail whose sender died is due again: at least once.

mod contacts;
mod due;
mod given_back;
mod issued;

pub use self::contacts::Contacts;
pub use self::due::{DueMail, MailOutcome, Subject};

use crate::database::{Database, DatabaseError};
use crate::order_outbox::OrderOutbox;
use crate::outbox::OutboxReader;

/// The rows of mail. Clones share the connections.
#[derive(Clone, Debug)]
pub struct OrderMail {
    database: Database,
    tickets: OutboxReader,
    money: OrderOutbox,
}

impl OrderMail {
    /// The consumer of events' outbox that notes mail of tickets.
    pub const READER_OF_EVENTS: &str = "ticket-mail";

    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> OrderMail {
        OrderMail {
            tickets: OutboxReader::new(database.clone(), Self::READER_OF_EVENTS),
            money: OrderOutbox::new(database.clone(), "refund-mail"),
            database,
        }
    }

    /// Reads on in both outboxes, a page an event and a page of money, and notes which mail is due.
    /// Returns whether there is more to read. What cannot be read of one event, or of money, is told, and
    /// keeps no other waiting.
    ///
    /// # Errors
    /// [`DatabaseError`] if something is not known to be read.
    pub async fn read_on(&self) -> Result<bool, DatabaseError> {
        let more_events = self.read_events().await;
        let more_money = self.read_money().await?;
        Ok(more_events? || more_money)
    }
}
