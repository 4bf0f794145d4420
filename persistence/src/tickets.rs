//! Tickets at the gates: scans, each with one answer for ever, and the tickets that let nobody in.
//!
//! A scan moves a ticket from valid to used by a conditional update of its row; void is what the
//! event's lane makes of one. Neither asks the other, and a row says which came first.

mod revocations;
mod scan;
mod scan_list;

pub use self::revocations::Revocations;
pub use self::scan::{NewScan, ScanRecord, ScanResult, Scanned, ScannedTicket, UsedBy};
pub use self::scan_list::ScanPosition;

use crate::database::Database;

/// The rows of tickets as gates see them. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Tickets {
    database: Database,
}

impl Tickets {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Tickets {
        Tickets { database }
    }
}
