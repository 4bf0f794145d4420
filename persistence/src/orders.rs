//! Orders and holds as rows say: reads for buyers, by connections that are not the owner's.
//!
//! The pool's connections made one acknowledged commit each before they read, so nothing told here
//! was lost by a crash before. Time is the database's, read before the rows are.

mod bill;
mod cancellation;
mod find;
mod hold;
mod list;
mod public_status;
mod record;
mod sold;
mod ticket;

pub use self::bill::{Bill, FeeCharged, Item};
pub use self::cancellation::{CANCEL_EVENT, CancellationProgress};
pub use self::hold::{Declined, HoldRecord};
pub use self::list::{OrderFilter, OrderPosition};
pub use self::public_status::{OrderState, PublicStatus};
pub use self::record::OrderRecord;
pub use self::sold::{RefundRecord, RefundStatus};
pub use self::ticket::{TicketRecord, TicketStatus};

pub(crate) use self::hold::hold_status;
pub(crate) use self::record::order_status;

use crate::database::Database;

/// The rows of orders and holds, for reading. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Orders {
    database: Database,
}

impl Orders {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Orders {
        Orders { database }
    }
}
