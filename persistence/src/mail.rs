//! Mail about tickets, as rows: which orders' tickets were issued, which mail is due, whom to write to.
//!
//! The consumer of the outbox notes a mail for each order that a batch issued tickets of; whoever sends
//! takes what is due for a while, and settles or postpones it. A mail whose sender died is due again: at
//! least once.

mod contacts;
mod due;
mod issued;

pub use self::contacts::Contacts;
pub use self::due::{DueMail, MailOutcome};

use crate::database::Database;
use crate::outbox::OutboxReader;

/// The consumer's name in `outbox_positions`.
const CONSUMER: &str = "ticket-mail";

/// The rows of mail. Clones share the connections.
#[derive(Clone, Debug)]
pub struct TicketMail {
    database: Database,
    outbox: OutboxReader,
}

impl TicketMail {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> TicketMail {
        TicketMail { outbox: OutboxReader::new(database.clone(), CONSUMER), database }
    }
}
