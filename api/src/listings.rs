//! The catalogue as buyers look at it, in memory: it stays up while the database does not.
//!
//! A listing is read once: all at the start, a new one when it is made, one that another process made
//! when somebody asks for it; and again when an operator has changed it here. How many seats are left is
//! the event's live map's to say.

mod doubt;
mod filter;
mod misses;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{Catalogue, EventPosition, EventRecord, Reference};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::page::Page;

pub use self::doubt::Change;
use self::doubt::Doubts;
pub use self::filter::{EventFilter, Near};
use self::misses::Misses;
use crate::problem::{Problem, store_unavailable};
use crate::turns::{Turn, TurnBounds, Turns};

/// Events read at a time when loading.
const PAGE_EVENTS: u16 = 100;

/// Names that nobody here knows are looked up a few at a time, so that whoever makes them up has not
/// all connections of the database.
const LOOKUPS: TurnBounds =
    TurnBounds { keys_max: 8, queue_max: 64, patience: Duration::from_secs(3) };

/// An event's terms are large, and read by one for all.
const OPENINGS: TurnBounds =
    TurnBounds { keys_max: 8, queue_max: 256, patience: Duration::from_secs(5) };

/// Where an event stands in the list: soonest first.
type Place = (Moment, i32);

/// All events that this process knows.
pub struct Listings {
    events: Events,
    lookups: Turns<String>,
    openings: Turns<EventNumber>,
    misses: Misses,
    doubts: Doubts,
}

#[derive(Default)]
struct Events {
    /// Whoever changes anything has this lock.
    by_place: RwLock<BTreeMap<Place, Arc<EventRecord>>>,
    by_number: papaya::HashMap<EventNumber, Arc<EventRecord>>,
    by_slug: papaya::HashMap<String, Arc<EventRecord>>,
}

impl Default for Listings {
    fn default() -> Self {
        let (events, misses, doubts) = Default::default();
        let (lookups, openings) = (Turns::new(LOOKUPS), Turns::new(OPENINGS));
        Self { events, lookups, openings, misses, doubts }
    }
}

impl Listings {
    /// Every event that there is.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn load(catalogue: &Catalogue) -> Result<Self, DatabaseError> {
        let listings = Self::default();
        let mut after = None;
        loop {
            let page = catalogue.events(after, PAGE_EVENTS).await?;
            for summary in &page.items {
                let event = Reference::Id(summary.id.uuid());
                listings.read(catalogue, &event).await?;
            }
            after = page.next;
            if after.is_none() {
                return Ok(listings);
            }
        }
    }

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
            return Ok(Some(self.beyond_doubt(catalogue, known).await));
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

    /// The listing, read again if it may have changed unseen; as it is, while it cannot be read.
    async fn beyond_doubt(
        &self,
        catalogue: &Catalogue,
        known: Arc<EventRecord>,
    ) -> Arc<EventRecord> {
        let Some(look) = self.doubts.look(known.summary.id.event()) else { return known };
        match self.read(catalogue, &Reference::Id(known.summary.id.uuid())).await {
            Ok(Some(latest)) => {
                look.seen();
                latest
            }
            Ok(None) => known,
            Err(error) => {
                tracing::warn!(%error, "a listing that may have changed cannot be read");
                known
            }
        }
    }

    /// The turn to take the event over, whose listing is here and whose owner is not.
    pub(crate) async fn opening(&self, event: EventNumber) -> Result<Turn<EventNumber>, Problem> {
        self.openings.take(event).await
    }

    /// An operator's change to this event begins. Whatever becomes of it and of whoever asked for it,
    /// the listing is read again.
    #[must_use]
    pub fn change(&self, event: EventNumber) -> Change<'_> {
        self.doubts.begin(event)
    }

    /// The event of this id or slug, if it is in memory.
    #[must_use]
    pub fn known(&self, event: &Reference) -> Option<Arc<EventRecord>> {
        match event {
            Reference::Id(id) => {
                let id = EventId::parse(*id)?;
                self.numbered(id.event()).filter(|event| event.summary.id == id)
            }
            Reference::Slug(slug) => self.events.by_slug.pin().get(slug).cloned(),
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

    /// The next `limit` events after the position that pass the filter, soonest first.
    #[must_use]
    pub fn list(
        &self,
        filter: &EventFilter,
        after: Option<EventPosition>,
        limit: u16,
    ) -> Page<Arc<EventRecord>, EventPosition> {
        let after = after.map(|position| (position.starts_at, position.event.0));
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let by_place = self.events.by_place.read();
        let mut passing = by_place
            .range((begin, Bound::Unbounded))
            .map(|(_, event)| event)
            .filter(|event| filter::passes(filter, event));
        let items: Vec<_> = passing.by_ref().take(limit.into()).cloned().collect();
        let next = passing.next().and(items.last()).map(|last| EventPosition {
            starts_at: last.summary.starts_at,
            event: last.summary.id.event(),
        });
        Page { items, next }
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
        Ok(Some(self.events.keep(Arc::new(record))))
    }
}

impl Events {
    /// Keeps the record, unless there is one of a later read; the one that is kept.
    fn keep(&self, record: Arc<EventRecord>) -> Arc<EventRecord> {
        let summary = &record.summary;
        let number = summary.id.event();
        let mut by_place = self.by_place.write();
        let by_number = self.by_number.pin();
        if let Some(before) = by_number.get(&number) {
            if before.summary.as_of > summary.as_of {
                return Arc::clone(before);
            }
            by_place.remove(&(before.summary.starts_at, number.0));
        }
        by_number.insert(number, Arc::clone(&record));
        by_place.insert((summary.starts_at, number.0), Arc::clone(&record));
        self.by_slug.pin().insert(summary.slug.clone(), Arc::clone(&record));
        record
    }
}
