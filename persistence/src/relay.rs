//! The outboxes as relays read them: for a named consumer, whichever of several processes comes first.
//!
//! - `events`: of each event the next page, by a lease; `orders`: of orders' money, likewise.
//! - `bell`: news rung over the database, so that a relay need not wait for its next look.
//! - `names`: what seats and sections are called, for those who do not know their numbers.
//! - `lag`: how far behind a consumer is; `retention`: batches that nobody waits for any more.
//!
//! What is published is durable as the sale requires: a commit of the reader's own, acknowledged, lies between
//! what it read and what it hands out. A position moves after the publishing, and only for who holds the lease:
//! whatever happens in between, the same is published again, never passed over.

mod bell;
mod events;
mod lag;
mod names;
mod orders;
mod retention;

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::database::Database;

pub use self::bell::{Listener, News, Ringer};
pub use self::events::{ClaimedEvent, EventHistory, EventOfBus};
pub use self::lag::Lag;
pub use self::names::Names;
pub use self::orders::{ClaimedMoney, MoneyNews};
pub use self::retention::Retention;

/// Where a consumer begins that has never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With the first batch that is kept of every event.
    WithTheFirst,
    /// With what comes from now on.
    Now,
}

impl Begins {
    fn is_now(self) -> bool {
        match self {
            Self::WithTheFirst => false,
            Self::Now => true,
        }
    }
}

/// What one process reads for a consumer. Clones are the same reader.
#[derive(Clone, Debug)]
pub struct RelayRows {
    database: Database,
    consumer: Arc<str>,
    /// Who this is, to the others that read for the consumer.
    holder: Uuid,
    begins: Begins,
    lease: Duration,
}

impl RelayRows {
    /// `consumer` is its name for ever. `lease`: how long nobody else reads on where this one has begun.
    #[must_use]
    pub fn new(database: Database, consumer: &str, begins: Begins, lease: Duration) -> Self {
        Self { database, consumer: consumer.into(), holder: Uuid::new_v4(), begins, lease }
    }

    /// How long nobody else reads on where this one has begun.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// The consumer's name.
    #[must_use]
    pub fn consumer(&self) -> &str {
        &self.consumer
    }
}
