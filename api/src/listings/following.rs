//! Following: memory kept as the rows are, whoever changes them.
//!
//! All events are read from where the following begins, so nothing falls between; then a look every half a second
//! finds which have changed since the one before. While the database does not answer, what is in memory stays, and so
//! does the time that it is of.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use parking_lot::Mutex;
use taquilla_engine::clock::Clock;
use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{Catalogue, CataloguePlace, Changed, EventRecord};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::in_full;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::{LOOKUPS, Listings, OPENINGS, SEARCHES, metric};
use crate::background::jittered;
use crate::turns::Turns;

/// Between two looks, at most: with the look and what it reads, another process's change is here within a second.
/// A look is one statement on a small table.
const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// Events of one statement: some 20 ms of the database's work, far from any bound on an answer.
const PAGE_EVENTS: usize = 500;

/// Of the connections that the pool has, so that others go on.
const PAGES_AT_ONCE: usize = 4;

/// How far the rows have been followed.
pub(super) struct Followed {
    place: Mutex<CataloguePlace>,
    as_of: AtomicI64,
}

impl Followed {
    pub(super) fn as_of(&self) -> Moment {
        Moment(self.as_of.load(Ordering::Acquire))
    }

    fn to(&self, place: CataloguePlace, as_of: Moment) {
        *self.place.lock() = place;
        self.as_of.store(as_of.0, Ordering::Release);
    }
}

impl Listings {
    /// Every event that there is.
    ///
    /// # Errors
    /// [`DatabaseError`] if they cannot be read.
    pub async fn load(catalogue: &Catalogue) -> Result<Self, DatabaseError> {
        // First: what changes while all is read is found by the first look.
        let (place, as_of) = catalogue.place().await?;
        let (events, misses) = Default::default();
        let listings = Self {
            events,
            searches: Arc::new(Semaphore::new(SEARCHES)),
            lookups: Turns::new(LOOKUPS),
            openings: Turns::new(OPENINGS),
            misses,
            followed: Followed { place: Mutex::new(place), as_of: AtomicI64::new(as_of.0) },
        };
        listings.read_all(catalogue).await?;
        Ok(listings)
    }

    /// One look: what has changed since the last one is read.
    ///
    /// # Errors
    /// [`DatabaseError`] if that cannot be done; the next look does it.
    pub async fn follow(&self, catalogue: &Catalogue) -> Result<(), DatabaseError> {
        let since = self.followed.place.lock().clone();
        let news = catalogue.news(&since).await?;
        match news.changed {
            Changed::These(events) => self.read_these(catalogue, events).await?,
            Changed::Any => self.read_all(catalogue).await?,
        }
        self.followed.to(news.place, news.as_of);
        Ok(())
    }

    async fn read_all(&self, catalogue: &Catalogue) -> Result<(), DatabaseError> {
        let known: Vec<EventNumber> = self.events.by_number.pin().keys().copied().collect();
        let mut all = catalogue.all_event_numbers().await?;
        all.extend(known);
        all.sort_unstable();
        all.dedup();
        self.read_these(catalogue, all).await
    }

    async fn read_these(
        &self,
        catalogue: &Catalogue,
        events: Vec<EventNumber>,
    ) -> Result<(), DatabaseError> {
        if events.is_empty() {
            return Ok(());
        }
        let read = async |page: &[EventNumber]| {
            let records = catalogue.these_events(page).await?;
            self.keep(page, records);
            Ok::<_, DatabaseError>(())
        };
        let pages = stream::iter(events.chunks(PAGE_EVENTS)).map(read);
        pages.buffer_unordered(PAGES_AT_ONCE).try_for_each(async |()| Ok(())).await?;
        self.index(events).await;
        Ok(())
    }

    /// Keeps what there is of these, and forgets the others.
    fn keep(&self, events: &[EventNumber], records: Vec<EventRecord>) {
        let mut gone: HashSet<EventNumber> = events.iter().copied().collect();
        for record in records {
            gone.remove(&record.summary.id.event());
            self.events.keep(Arc::new(record));
        }
        gone.into_iter().for_each(|event| self.events.forget(event));
    }
}

/// Keeps listings as the rows are.
#[derive(Clone)]
pub struct Follower {
    listings: Arc<Listings>,
    catalogue: Catalogue,
    clock: Arc<dyn Clock>,
}

impl Follower {
    /// Of these rows.
    #[must_use]
    pub fn new(listings: Arc<Listings>, catalogue: Catalogue, clock: Arc<dyn Clock>) -> Self {
        Self { listings, catalogue, clock }
    }

    /// For ever.
    pub async fn keep_following(self) {
        let mut follows = true;
        loop {
            match self.listings.follow(&self.catalogue).await {
                Ok(()) if !follows => {
                    follows = true;
                    tracing::info!("lists of events follow the database again");
                }
                Ok(()) => {}
                Err(error) => {
                    if follows {
                        let error = in_full(&error);
                        tracing::warn!(error, "lists of events stay as they are");
                    }
                    follows = false;
                }
            }
            metric::aged(self.listings.as_of(), self.clock.now());
            sleep(jittered(LOOK_PAUSE)).await;
        }
    }
}
