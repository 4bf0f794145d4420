//! Reconciliations in rows: our side of the money, read a page at a time, and each run with what it found.
//!
//! A run holds its place by a row that says until when, and says again that it lives; there is no lock
//! and no transaction while a provider is asked. What it found closes new payments or opens them, in the
//! commit that records it.

mod finish;
mod settlements;
mod standing;
mod stored;
mod turn;

pub use finish::Consequence;
pub use standing::{RunRecord, Standing};
pub use turn::{Begun, NewRun};

use crate::database::Database;

/// The store. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Reconciliations {
    database: Database,
}

impl Reconciliations {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }
}
