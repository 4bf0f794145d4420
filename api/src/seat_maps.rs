//! Seat maps as they leave: JSON and gzip, encoded once an event, with an `ETag` of their content.
//! They change only with the capacity of a general section, and their `ETag` with them. What is kept
//! of them is bounded in bytes.

mod encode;

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Bytes;
use parking_lot::Mutex;
use taquilla_engine::event::Terms;
use taquilla_engine::id::EventNumber;
use taquilla_persistence::catalogue::{Catalogue, EventRecord};

use crate::problem::{Problem, store_unavailable};
use crate::views::SeatMapView;

/// Some twenty stadiums of 60,000 seats. A map that alone is larger is still kept, alone.
const KEPT_BYTES_MAX: usize = 192 * 1024 * 1024;

/// One map in both encodings.
pub struct EncodedSeatMap {
    /// Of the content: 32 hexadecimal digits.
    pub tag: String,
    /// As JSON.
    pub json: Bytes,
    /// The same, compressed.
    pub gzip: Bytes,
}

/// The maps that were asked for last.
#[derive(Default)]
pub struct SeatMaps {
    kept: Mutex<VecDeque<(EventNumber, Arc<EncodedSeatMap>)>>,
    /// One is encoded at a time: a large one takes much memory and a good part of a second.
    encoding: tokio::sync::Mutex<()>,
}

impl SeatMaps {
    /// The event's map, from memory or made now.
    ///
    /// # Errors
    /// `purchases-paused`, if the geometry cannot be read.
    pub async fn of(
        &self,
        catalogue: &Catalogue,
        event: &EventRecord,
        terms: &Terms,
    ) -> Result<Arc<EncodedSeatMap>, Problem> {
        if let Some(map) = self.kept(terms.event) {
            return Ok(map);
        }
        let _turn = self.encoding.lock().await;
        if let Some(map) = self.kept(terms.event) {
            return Ok(map);
        }
        let geometry = catalogue.seat_geometry(event.summary.venue.id).await;
        let geometry = geometry.map_err(|error| store_unavailable(&error))?;
        let map = Arc::new(encode::encode(SeatMapView::of(terms, event, geometry)).await);
        self.keep(terms.event, Arc::clone(&map));
        Ok(map)
    }

    /// The event's map is to be made anew.
    pub fn forget(&self, event: EventNumber) {
        self.kept.lock().retain(|(of, _)| *of != event);
    }

    fn kept(&self, event: EventNumber) -> Option<Arc<EncodedSeatMap>> {
        self.kept.lock().iter().find(|(of, _)| *of == event).map(|(_, map)| Arc::clone(map))
    }

    fn keep(&self, event: EventNumber, map: Arc<EncodedSeatMap>) {
        let mut kept = self.kept.lock();
        kept.push_back((event, map));
        let bytes = |kept: &VecDeque<(_, Arc<EncodedSeatMap>)>| -> usize {
            kept.iter().map(|(_, map)| map.json.len() + map.gzip.len()).sum()
        };
        while kept.len() > 1 && bytes(&kept) > KEPT_BYTES_MAX {
            kept.pop_front();
        }
    }
}
