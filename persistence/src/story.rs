//! Everything that happened to a seat, a buyer, a hold or an order, told from stored rows: the outbox,
//! the refusals, the attempts, the ledger, the gates, the operators' trail, all of one snapshot, in order of
//! time.
//!
//! The outbox is read from its first batch, page by page, and only what belongs to the story is kept:
//! the entries of two answers at most, and of each hold of the story, however many there are, its id, its
//! order's and its buyer's name (`thread`). Nothing here is asked of an owner: a story is the same after
//! a restart and on any process.

mod actions;
mod attempts;
mod collected;
mod declined;
mod entry;
mod history;
mod movements;
mod of_orders;
mod queue;
mod refusals;
mod root;
mod scans;
mod thread;

use std::sync::Arc;
use std::time::{Duration, Instant};

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventNumber, HoldId, OrderId, SeatIndex};
use tokio::sync::Semaphore;

use self::collected::Collected;
pub use self::entry::{Entry, Position, What, Who};
use self::thread::Thread;
use crate::columns::BrokenRow;
use crate::database::{Database, DatabaseError};
use crate::page::Page;
use crate::pool::PooledClient;

/// What an operator waits for one at most: his turn and the telling together.
const STORY_MAX: Duration = Duration::from_secs(60);

/// A page of any of the tables takes milliseconds; this is for one that must be fetched from a busy disk.
const PATIENCE: &str = "/* story */ SET LOCAL statement_timeout = '20s'";

/// Stories at a time: each keeps a connection for seconds, and buyers' reads need the others.
const AT_A_TIME: usize = 2;

/// Entries of one answer, at most.
pub const ENTRIES_MAX: u16 = 10_000;

/// Whose story it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A seat's: every hold that ever had it, with all that came of these.
    Seat {
        /// Its index in the event.
        seat: SeatIndex,
        /// Its label, as operators' actions name it.
        label: String,
    },
    /// A buyer's: his holds, with all that came of them, and what he was refused.
    Buyer(BuyerId),
    /// A hold's, with its order.
    Hold(HoldId),
    /// An order's, with its hold.
    Order(OrderId),
}

/// The teller. Clones share the connections and the turns.
#[derive(Clone, Debug)]
pub struct Stories {
    database: Database,
    turns: Arc<Semaphore>,
}

impl Stories {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Stories {
        let turns = Arc::new(Semaphore::new(AT_A_TIME));
        Stories { database, turns }
    }

    /// The first `limit` entries after the position, oldest first. `None` if the event has no such hold
    /// or order, or has never heard of the buyer. Within a minute, the wait for two others included.
    ///
    /// # Errors
    /// [`DatabaseError::Overloaded`] if its turn did not come in time; else the database's.
    pub async fn tell(
        &self,
        event: EventNumber,
        subject: &Subject,
        after: Option<Position>,
        limit: u16,
    ) -> Result<Option<Page<Entry, Position>>, DatabaseError> {
        let asked = Instant::now();
        let turn = tokio::time::timeout(STORY_MAX, self.turns.acquire()).await;
        let _turn =
            turn.map_err(|_| DatabaseError::Overloaded)?.expect("the semaphore is never closed");
        let database = self.database.within(STORY_MAX.saturating_sub(asked.elapsed()));
        let told = database.snapshot("story", async |client| {
            let collected = Collected::new(after, limit);
            match collect(&client, event, subject, collected).await {
                Ok(collected) => Ok(Ok(collected)),
                Err(Interrupted::Broken(row)) => Ok(Err(row)),
                Err(Interrupted::Driver(error)) => Err(error),
            }
        });
        Ok(told.await??.and_then(|collected| collected.into_page(subject)))
    }
}

/// Why a story ended before its end.
enum Interrupted {
    Driver(tokio_postgres::Error),
    Broken(BrokenRow),
}

impl From<tokio_postgres::Error> for Interrupted {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<BrokenRow> for Interrupted {
    fn from(row: BrokenRow) -> Self {
        Self::Broken(row)
    }
}

/// All sources, the history first: it says which holds and orders the others are asked about.
async fn collect(
    client: &PooledClient,
    event: EventNumber,
    subject: &Subject,
    mut collected: Collected,
) -> Result<Option<Collected>, Interrupted> {
    client.batch_execute(PATIENCE).await?;
    let Some(root) = root::find(client, event, subject).await? else { return Ok(None) };
    let mut thread = Thread::new(root);
    history::read(client, event, &mut thread, &mut collected).await?;
    declined::read(client, event, &thread, &mut collected).await?;
    attempts::read(client, &thread, &mut collected).await?;
    movements::read(client, &thread, &mut collected).await?;
    queue::read(client, event, subject, &mut collected).await?;
    scans::read(client, &thread, &mut collected).await?;
    refusals::read(client, event, &thread, &mut collected).await?;
    actions::read(client, event, subject, &thread, &mut collected).await?;
    Ok(Some(collected))
}
