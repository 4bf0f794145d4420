//! The catalogue as buyers look at it, in memory: it stays up while the database does not.
//!
//! A listing is read once: all at the start, a new one when it is made, one that another process made
//! when somebody asks for it; and again when an operator has changed it here. How many seats are left is
//! the event's live map's to say.

mod filter;

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::RwLock;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{
    Catalogue, EventFilter, EventPosition, EventRecord, Reference,
};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::page::Page;

/// Events read at a time when loading.
const PAGE_EVENTS: u16 = 100;

/// Where an event stands in the list: soonest first.
type Place = (Moment, i32);

/// All events that this process knows.
#[derive(Default)]
pub struct Listings {
    events: RwLock<Events>,
    /// Rows are read one after the other, so that none is replaced by an older reading of itself.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Events {
    by_place: BTreeMap<Place, Arc<EventRecord>>,
    by_number: HashMap<EventNumber, Arc<EventRecord>>,
    by_slug: HashMap<String, Arc<EventRecord>>,
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
    /// [`DatabaseError`] if it is not in memory and its row cannot be read.
    pub async fn find(
        &self,
        catalogue: &Catalogue,
        event: &Reference,
    ) -> Result<Option<Arc<EventRecord>>, DatabaseError> {
        if let Some(known) = self.known(event) {
            return Ok(Some(known));
        }
        self.read(catalogue, event).await
    }

    /// The event of this id or slug, if it is in memory.
    #[must_use]
    pub fn known(&self, event: &Reference) -> Option<Arc<EventRecord>> {
        let events = self.events.read();
        match event {
            Reference::Id(id) => {
                let id = EventId::parse(*id)?;
                events.by_number.get(&id.event()).filter(|event| event.summary.id == id).cloned()
            }
            Reference::Slug(slug) => events.by_slug.get(slug).cloned(),
        }
    }

    /// The event of this number, if it is in memory.
    #[must_use]
    pub fn numbered(&self, event: EventNumber) -> Option<Arc<EventRecord>> {
        self.events.read().by_number.get(&event).cloned()
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
        let events = self.events.read();
        let mut passing = events
            .by_place
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

    /// Reads the event's row, whatever is in memory.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be read.
    pub async fn read(
        &self,
        catalogue: &Catalogue,
        event: &Reference,
    ) -> Result<Option<Arc<EventRecord>>, DatabaseError> {
        let _turn = self.reading.lock().await;
        let Some(record) = catalogue.event(event).await? else { return Ok(None) };
        let record = Arc::new(record);
        let summary = &record.summary;
        let place = (summary.starts_at, summary.id.event().0);
        let mut events = self.events.write();
        if let Some(before) = events.by_number.insert(summary.id.event(), Arc::clone(&record)) {
            events.by_place.remove(&(before.summary.starts_at, summary.id.event().0));
        }
        events.by_place.insert(place, Arc::clone(&record));
        events.by_slug.insert(summary.slug.clone(), Arc::clone(&record));
        drop(events);
        Ok(Some(record))
    }
}
