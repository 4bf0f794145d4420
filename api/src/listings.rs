//! The catalogue as buyers look at it, in memory: it stays up while the database does not.
//!
//! All of it is read at the start; from then on it follows what changes in the rows, whoever changes it (`following`).
//! What is made or changed here is read at once, and what nobody here knows yet, when somebody asks for it. How many
//! seats are left is the event's live map's to say.

mod following;
mod metric;
mod misses;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{Catalogue, EventRecord, Reference};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::page::Page;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::following::Followed;
pub use self::following::Follower;
pub use self::metric::describe_metrics;
use self::misses::Misses;
use crate::problem::{Problem, overloaded, store_unavailable};
use crate::search::{Search, SearchIndex, SearchPosition};
use crate::turns::{Turn, TurnBounds, Turns, apart};

/// Names that nobody here knows are looked up a few at a time, so that whoever makes them up has not
/// all connections of the database.
const LOOKUPS: TurnBounds =
    TurnBounds { keys_max: 8, queue_max: 64, patience: Duration::from_secs(3) };

/// An event's terms are large, and read by one for all.
const OPENINGS: TurnBounds =
    TurnBounds { keys_max: 8, queue_max: 256, patience: Duration::from_secs(5) };

/// Searches at once: each takes a thread for some milliseconds at the most.
const SEARCHES: usize = 4;

/// Behind so many nobody waits longer.
const SEARCH_PATIENCE: Duration = Duration::from_secs(2);

/// All events that this process knows.
pub struct Listings {
    events: Arc<Events>,
    searches: Arc<Semaphore>,
    lookups: Turns<String>,
    openings: Turns<EventNumber>,
    misses: Misses,
    followed: Followed,
}

#[derive(Default)]
struct Events {
    changing: Mutex<()>,
    index: SearchIndex,
    by_number: papaya::HashMap<EventNumber, Arc<EventRecord>>,
    by_slug: papaya::HashMap<String, EventNumber>,
}

impl Listings {
    /// The event of this id or slug: from memory, or else from its row.
    ///
    /// # Errors
    /// `purchases-paused` if it is not in memory and its row cannot be read; `overloaded` if too many
    /// ask for what is not in memory.
    pub async fn find(
        &self,
        catalogue: &Catalogue,
        event: &Reference,
    ) -> Result<Option<Arc<EventRecord>>, Problem> {
        if let Some(known) = self.known(event) {
            return Ok(Some(known));
        }
        let name = match event {
            // No event has it, and no row needs to be asked.
            Reference::Id(id) if EventId::parse(*id).is_none() => return Ok(None),
            Reference::Id(id) => id.to_string(),
            Reference::Slug(slug) => slug.clone(),
        };
        if self.misses.has(&name) {
            return Ok(None);
        }
        let _turn = self.lookups.take(name.clone()).await?;
        // Whoever was before may have found it, or not.
        if let Some(known) = self.known(event) {
            return Ok(Some(known));
        }
        if self.misses.has(&name) {
            return Ok(None);
        }
        let found = self.read(catalogue, event).await;
        let found = found.map_err(|error| store_unavailable(&error))?;
        if found.is_none() {
            self.misses.note(name);
        }
        Ok(found)
    }

    /// The turn to take the event over, whose listing is here and whose owner is not.
    pub(crate) async fn opening(&self, event: EventNumber) -> Result<Turn<EventNumber>, Problem> {
        self.openings.take(event).await
    }

    /// The event of this id or slug, if it is in memory.
    #[must_use]
    pub fn known(&self, event: &Reference) -> Option<Arc<EventRecord>> {
        match event {
            Reference::Id(id) => {
                let id = EventId::parse(*id)?;
                self.numbered(id.event()).filter(|event| event.summary.id == id)
            }
            Reference::Slug(slug) => {
                let number = *self.events.by_slug.pin().get(slug)?;
                self.numbered(number).filter(|event| event.summary.slug == *slug)
            }
        }
    }

    /// The event of this number, if it is in memory.
    #[must_use]
    pub fn numbered(&self, event: EventNumber) -> Option<Arc<EventRecord>> {
        self.events.by_number.pin().get(&event).cloned()
    }

    /// All events in memory.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<EventRecord>> {
        self.events.by_number.pin().values().cloned().collect()
    }

    /// The next `limit` events after the position of those that are looked for.
    ///
    /// # Errors
    /// `overloaded`, if too many look for something.
    pub async fn list(
        &self,
        search: Search,
        after: Option<SearchPosition>,
        limit: u16,
    ) -> Result<Page<Arc<EventRecord>, SearchPosition>, Problem> {
        let turn = timeout(SEARCH_PATIENCE, Arc::clone(&self.searches).acquire_owned()).await;
        let turn = turn.map_err(|_| overloaded())?.expect("it is never closed");
        let events = Arc::clone(&self.events);
        let find = move || events.index.find(&search, after.as_ref(), limit);
        let found = apart(turn, find).await.map_err(|_| Problem::internal())?;
        let (numbers, next) = found.0.map_err(|error| {
            tracing::error!(%error, "the index cannot be read");
            Problem::internal()
        })?;
        let items = numbers.into_iter().filter_map(|event| self.numbered(event)).collect();
        Ok(Page { items, next })
    }

    /// Reads the event's row, whatever is in memory. What was read later stays.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn read(
        &self,
        catalogue: &Catalogue,
        event: &Reference,
    ) -> Result<Option<Arc<EventRecord>>, DatabaseError> {
        let Some(record) = catalogue.event(event).await? else { return Ok(None) };
        let kept = self.events.keep(Arc::new(record));
        self.index(vec![kept.summary.id.event()]).await;
        Ok(Some(kept))
    }

    /// How far memory has followed the rows, by the database's clock: lists are as they were then, or newer.
    #[must_use]
    pub fn as_of(&self) -> Moment {
        self.followed.as_of()
    }

    /// When this event was known to be as this record of it says.
    #[must_use]
    pub fn known_at(&self, event: &EventRecord) -> Moment {
        self.as_of().max(event.summary.as_of)
    }

    /// Has these found as they are now.
    async fn index(&self, numbers: Vec<EventNumber>) {
        let events = Arc::clone(&self.events);
        let take_in = move || {
            let now = |event| events.by_number.pin().get(&event).cloned();
            events.index.take_in(numbers, now)
        };
        let taken = apart((), take_in).await;
        if !matches!(taken, Ok((Ok(()), ()))) {
            tracing::error!(?taken, "events are not found as they are now");
        }
    }
}

impl Events {
    /// Keeps the record, unless there is one of a later read; the one that is kept.
    fn keep(&self, record: Arc<EventRecord>) -> Arc<EventRecord> {
        let summary = &record.summary;
        let number = summary.id.event();
        let _alone = self.changing.lock();
        let by_number = self.by_number.pin();
        let before = by_number.get(&number).filter(|it| it.summary.as_of > summary.as_of);
        if let Some(before) = before {
            return Arc::clone(before);
        }
        by_number.insert(number, Arc::clone(&record));
        self.by_slug.pin().insert(summary.slug.clone(), number);
        record
    }

    /// There is no such event any more.
    fn forget(&self, event: EventNumber) {
        let _alone = self.changing.lock();
        let by_number = self.by_number.pin();
        let Some(gone) = by_number.remove(&event) else { return };
        let still = |_: &_, number: &EventNumber| *number == event;
        let _ = self.by_slug.pin().remove_if(&gone.summary.slug, still);
    }
}
