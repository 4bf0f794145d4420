//! Waiting rooms as the edge works with them: each event's room, opened when it is asked for, and what its sale
//! measures of itself.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::clock::Clock;
use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::{EventHandle, Node, RoomHandle, RoomSettings, Rooms, SaleGauge};
use taquilla_engine::sale::SaleStatus;
use taquilla_engine::waiting_room::journal::QueueJournal;
use taquilla_engine::waiting_room::line::Patience;
use taquilla_engine::waiting_room::rate::{RateBounds, SaleSignals};
use taquilla_engine::waiting_room::room::RoomTerms;
use taquilla_persistence::catalogue::EventRecord;
use tokio::time::Instant;

use crate::desk::EventDesk;
use crate::listings::Listings;

/// More have never waited for one sale here; each takes some 60 bytes.
const MEMBERS_MAX: u32 = 2_000_000;

/// The rooms of this process.
pub struct WaitingRooms {
    rooms: Rooms,
    node: Arc<Node>,
    listings: Arc<Listings>,
}

/// What rooms do unless they are told otherwise.
#[must_use]
pub fn default_settings() -> RoomSettings {
    RoomSettings {
        patience: Patience { grace: Duration::from_secs(120), admission: Duration::from_secs(600) },
        rate: RateBounds {
            ceiling: 1_000.0,
            floor: 1.0,
            start: 20.0,
            active_max: 10_000,
            payments_max: 1_000,
            commit_max: Duration::from_millis(100),
            wait_max: Duration::from_millis(250),
        },
    }
}

impl WaitingRooms {
    /// None yet.
    #[must_use]
    pub fn new(
        journal: Arc<dyn QueueJournal>,
        clock: Arc<dyn Clock>,
        settings: RoomSettings,
        node: Arc<Node>,
        listings: Arc<Listings>,
    ) -> Self {
        Self { rooms: Rooms::new(journal, clock, settings), node, listings }
    }

    /// The event's room; none if its sale has none.
    #[must_use]
    pub fn of(&self, event: &EventDesk) -> Option<RoomHandle> {
        let sale = &event.listed.summary.sale;
        if !sale.waiting_room {
            return None;
        }
        let terms = RoomTerms {
            event: event.listed.summary.id,
            opens_at: sale.opens_at,
            members_max: MEMBERS_MAX,
        };
        let meter = || -> Arc<dyn SaleGauge> {
            Arc::new(Meter {
                event: event.listed.summary.id.event(),
                opens_at: sale.opens_at,
                handle: event.handle.clone(),
                node: Arc::clone(&self.node),
                listings: Arc::clone(&self.listings),
                looked: Mutex::new(Instant::now()),
            })
        };
        Some(self.rooms.open(terms, meter))
    }

    /// Ends all owners.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }
}

/// What a sale measures: its event's owner, and what operators have stopped.
struct Meter {
    event: EventNumber,
    /// As it was first listed.
    opens_at: Moment,
    handle: EventHandle,
    node: Arc<Node>,
    listings: Arc<Listings>,
    looked: Mutex<Instant>,
}

impl Meter {
    fn listed(&self) -> Option<Arc<EventRecord>> {
        self.listings.numbered(self.event)
    }
}

impl SaleGauge for Meter {
    fn measure(&self) -> SaleSignals {
        let before = std::mem::replace(&mut *self.looked.lock(), Instant::now());
        let signals = self.handle.measure(before.elapsed());
        let status = self.listed().map(|event| event.summary.sale.status(self.handle.now()));
        let is_open = status == Some(SaleStatus::Open) && self.node.purchases_paused().is_none();
        SaleSignals { may_go_on: signals.may_go_on && is_open, ..signals }
    }

    fn opens_at(&self) -> Moment {
        self.listed().map_or(self.opens_at, |event| event.summary.sale.opens_at)
    }
}
