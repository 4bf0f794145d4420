//! The catalogue's index: events by words, place, category, artist and time, from memory alone.
//!
//! A projection of the listings, built anew at each start and told of each listing that is read again; it stays up while
//! the database does not. The index is tantivy's, in memory. What a hit is worth does not depend on what else is in the
//! index, so a cursor stays where it is while events come and go.

mod document;
mod order;
mod page;
mod query;
mod words;

use std::sync::Arc;

use parking_lot::Mutex;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError, Term};
use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{EventRecord, Reference};

use self::document::Fields;
pub use self::order::{Order, SearchPosition};
use self::page::{Narrowed, PageCollector};

/// tantivy takes no less for what it has not written yet.
const WRITER_BYTES: usize = 15_000_000;

/// What a list of events is narrowed to, and how it is sorted. Everything, soonest first, unless said.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Words of the name of the event, the venue, its city or an artist: all of them, each whole, begun, or mistyped.
    pub text: Option<String>,
    /// Not farther than this.
    pub near: Option<Near>,
    /// Exactly this category.
    pub category: Option<String>,
    /// With this artist.
    pub artist: Option<Reference>,
    /// Beginning here or later.
    pub from: Option<When>,
    /// Beginning here or earlier.
    pub to: Option<When>,
    /// What comes first.
    pub order: Order,
}

/// A circle on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
    /// Kilometres.
    pub radius_km: f64,
}

/// When something begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At this instant.
    Instant(Moment),
    /// On this day where it takes place, counted from 1970-01-01.
    Day(i32),
}

/// All events that this process knows, as they are found.
pub struct SearchIndex {
    fields: Fields,
    reader: IndexReader,
    writer: Mutex<IndexWriter>,
}

impl SearchIndex {
    /// With nothing in it.
    ///
    /// # Panics
    /// If an index in memory cannot be made, which would be a bug.
    #[must_use]
    pub fn new() -> Self {
        let (schema, fields) = Fields::schema();
        let index = Index::create_in_ram(schema);
        let made = || {
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
            Ok::<_, TantivyError>((reader, writer))
        };
        let (reader, writer) = made().expect("an index in memory needs nothing from outside");
        Self { fields, reader, writer: Mutex::new(writer) }
    }

    /// Takes these events in as they are `now`, in the place of what was known of them. Takes milliseconds: not for a
    /// thread that serves requests.
    ///
    /// # Errors
    /// [`TantivyError`]: the index is as before.
    pub fn take_in(
        &self,
        events: impl IntoIterator<Item = EventNumber>,
        now: impl Fn(EventNumber) -> Option<Arc<EventRecord>>,
    ) -> Result<(), TantivyError> {
        let mut writer = self.writer.lock();
        for event in events {
            writer.delete_term(Term::from_field_i64(self.fields.event, event.0.into()));
            // Looked at under the lock, so that the latest is the last.
            if let Some(record) = now(event) {
                writer.add_document(self.fields.document(&record))?;
            }
        }
        writer.commit()?;
        self.reader.reload()
    }

    /// The next `limit` events after the position, and where the next page begins, if there is one.
    ///
    /// # Errors
    /// [`TantivyError`], which would be a bug.
    pub fn find(
        &self,
        search: &Search,
        after: Option<&SearchPosition>,
        limit: u16,
    ) -> Result<(Vec<EventNumber>, Option<SearchPosition>), TantivyError> {
        let query = query::of(search, &self.fields);
        let limit = usize::from(limit);
        let narrowed = Narrowed::of(search, after.copied());
        let mut hits =
            self.reader.searcher().search(&*query, &PageCollector::new(narrowed, limit + 1))?;
        let more = hits.len() > limit;
        hits.truncate(limit);
        let next = hits.last().filter(|_| more).copied();
        Ok((hits.into_iter().map(|hit| hit.event).collect(), next))
    }
}

impl Default for SearchIndex {
    fn default() -> Self {
        Self::new()
    }
}
