//! Maps as everybody sees them: each version encoded once for all who ask, and what has changed since the versions
//! before it.
//!
//! Nothing runs here. Whoever asks looks whether the event has published a later version; the first who finds one
//! takes it in. Whoever follows a map keeps nothing but the version that he saw last, so ten thousand who read slowly
//! take no more memory than ten thousand who do not.

pub(crate) mod metric;
mod shown;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use taquilla_engine::event::availability::History;
use taquilla_engine::event::{Availability, Terms};
use taquilla_engine::id::EventNumber;
use taquilla_engine::runtime::EventHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use self::metric::describe_metrics;
pub use self::shown::Shown;

/// Each keeps a connection: half of those that a process takes as shipped (`http.connections_max`), so that the
/// others are left for those who buy.
const FOLLOWERS_MAX: usize = 5_000;

/// A map that does not change is looked at again after so long, to say that it is as it was.
const AS_OF_EACH: Duration = Duration::from_secs(1);

/// The maps that were asked for.
pub struct LiveMaps {
    maps: papaya::HashMap<EventNumber, Arc<LiveMap>>,
    followers: Arc<Semaphore>,
}

/// One event's map.
#[derive(Default)]
pub struct LiveMap {
    shown: ArcSwapOption<Shown>,
    /// One takes a version in; the others see it then.
    taking_in: Mutex<()>,
}

/// One who follows a map, until it is dropped.
pub struct Following {
    _of_all: OwnedSemaphorePermit,
}

impl Default for LiveMaps {
    fn default() -> Self {
        Self::for_followers(FOLLOWERS_MAX)
    }
}

impl LiveMaps {
    /// None yet, and room for so many who follow them.
    #[must_use]
    pub fn for_followers(max: usize) -> Self {
        Self { maps: papaya::HashMap::new(), followers: Arc::new(Semaphore::new(max)) }
    }

    /// The event's map.
    #[must_use]
    pub fn of(&self, event: &EventHandle) -> Arc<LiveMap> {
        let maps = self.maps.pin();
        Arc::clone(maps.get_or_insert_with(event.terms().event, Arc::default))
    }

    /// One more who follows a map; none if too many do.
    #[must_use]
    pub fn follow(&self) -> Option<Following> {
        let of_all = Arc::clone(&self.followers).try_acquire_owned().ok()?;
        Some(Following { _of_all: of_all })
    }
}

impl LiveMap {
    /// The latest map, and what it was before. None while the event has never had an owner here.
    #[must_use]
    pub fn latest(&self, event: &EventHandle) -> Option<Arc<Shown>> {
        let shown = self.shown.load_full();
        if let Some(shown) = shown.filter(|shown| is_latest(shown, event)) {
            return Some(shown);
        }
        let _alone = self.taking_in.lock();
        let shown = self.shown.load_full();
        if let Some(shown) = shown.as_ref().filter(|shown| is_latest(shown, event)) {
            return Some(Arc::clone(shown));
        }
        // Seen before the map: what is published after it is not too old for it.
        let now = event.paused().is_none().then(|| event.now());
        let map = event.availability();
        if map.sections.is_empty() {
            return None;
        }
        let terms = event.terms();
        if !fits(&map, &terms) {
            // The event is being moved to another plan, whose first map is on its way.
            return shown;
        }
        let history = match &shown {
            Some(shown) if shown.plan() != terms.plan_id => History::new(Arc::clone(&map)),
            Some(shown) if shown.map().version == map.version => shown.history().clone(),
            Some(shown) => shown.history().advance(Arc::clone(&map)),
            None => History::new(Arc::clone(&map)),
        };
        let before = shown.map_or(map.as_of, |shown| shown.as_of());
        let as_of = now.unwrap_or(map.as_of).max(before);
        let shown = Arc::new(Shown::new(history, as_of, &terms));
        self.shown.store(Some(Arc::clone(&shown)));
        Some(shown)
    }
}

/// Whether the map is one of this plan, as far as can be seen.
fn fits(map: &Availability, terms: &Terms) -> bool {
    map.sections.len() == terms.plan.sections().len()
        && map.packed.len() == terms.plan.seats().len().div_ceil(4)
}

/// Nothing later was published, and it is not long ago that this was seen to be so; or nobody knows any better.
fn is_latest(shown: &Shown, event: &EventHandle) -> bool {
    event.availability().version == shown.map().version
        && (event.now().since(shown.as_of()) < AS_OF_EACH || event.paused().is_some())
}
