//! Seat maps as they leave: JSON and gzip, encoded once an event, with an `ETag` of their content.
//! They change only with the event's plan and with the capacity of a general section, and are kept by the plan and
//! the capacities that they show: one that was begun before a change is never taken for one after it. What is kept is bounded in
//! bytes.

mod encode;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventNumber, PlanId};
use taquilla_engine::plan::SectionKind;
use taquilla_persistence::catalogue::{Catalogue, EventRecord};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::kept::Kept;
use crate::problem::{Problem, overloaded, store_unavailable};
use crate::turns::{TurnBounds, Turns};
use crate::views::SeatMapView;

/// Some twenty stadiums of 60,000 seats. A map that alone is larger is still kept, alone.
const KEPT_BYTES_MAX: usize = 192 * 1024 * 1024;

/// A geometry that is read and a map that is encoded take a good part of a second, and the database at
/// its worst five.
const WAITING: TurnBounds =
    TurnBounds { keys_max: 32, queue_max: 512, patience: Duration::from_secs(5) };

/// One map in both encodings.
pub struct EncodedSeatMap {
    /// Of the content: 32 hexadecimal digits.
    pub tag: String,
    /// As JSON.
    pub json: Bytes,
    /// The same, compressed.
    pub gzip: Bytes,
}

/// Which map: the event, its plan, as its owner and as its listing have it, and what its general sections have room
/// for.
#[derive(Clone, PartialEq, Eq, Hash)]
struct MapKey {
    event: EventNumber,
    plan: PlanId,
    listed: PlanId,
    capacities: Vec<u32>,
}

/// The maps that were asked for last.
pub struct SeatMaps {
    kept: Kept<MapKey, EncodedSeatMap>,
    turns: Turns<MapKey>,
    /// One is encoded at a time: a large one takes much memory and a good part of a second.
    encoding: Arc<Semaphore>,
}

impl Default for SeatMaps {
    fn default() -> Self {
        let (turns, encoding) = (Turns::new(WAITING), Arc::new(Semaphore::new(1)));
        let bytes = |map: &EncodedSeatMap| map.json.len() + map.gzip.len();
        Self { kept: Kept::new(KEPT_BYTES_MAX, bytes), turns, encoding }
    }
}

impl SeatMaps {
    /// The event's map, from memory or made now.
    ///
    /// # Errors
    /// `purchases-paused`, if the geometry cannot be read; `overloaded`, if too many wait for it, or for
    /// too long.
    pub async fn of(
        &self,
        catalogue: &Catalogue,
        event: &EventRecord,
        terms: &Terms,
    ) -> Result<Arc<EncodedSeatMap>, Problem> {
        let key = MapKey::of(event, terms);
        if let Some(map) = self.kept.find(&key) {
            return Ok(map);
        }
        let turn = self.turns.take(key.clone()).await?;
        if let Some(map) = self.kept.find(&key) {
            return Ok(map);
        }
        let alone = timeout(WAITING.patience, Arc::clone(&self.encoding).acquire_owned()).await;
        let alone = alone.map_err(|_| overloaded())?.expect("it is never closed");
        let geometry = catalogue.seat_geometry(terms.plan_id.0).await;
        let geometry = geometry.map_err(|error| store_unavailable(&error))?;
        let view = SeatMapView::of(terms, event, geometry);
        let (map, _held) = encode::encode(view, (turn, alone)).await;
        let map = Arc::new(map);
        // One an event is kept: an older one is asked for no more.
        let event = key.event;
        self.kept.keep(key, Arc::clone(&map), |of| of.event == event);
        Ok(map)
    }
}

impl MapKey {
    fn of(event: &EventRecord, terms: &Terms) -> Self {
        let capacity = |kind| match kind {
            SectionKind::General { capacity } => Some(capacity),
            SectionKind::Seated { .. } => None,
        };
        let capacities = event.sections.iter().filter_map(|section| capacity(section.kind));
        Self {
            event: event.summary.id.event(),
            plan: terms.plan_id,
            listed: PlanId(event.summary.plan),
            capacities: capacities.collect(),
        }
    }
}
