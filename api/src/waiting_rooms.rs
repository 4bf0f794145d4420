//! Waiting rooms as the edge works with them: each event's room, opened when it is asked for, and what its sale
//! measures of itself.

mod meter;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::EventNumber;
use taquilla_engine::runtime::{EventHandle, Node, Payments, RoomHandle, Rooms, SaleGauge};
use taquilla_engine::sale::SaleStatus;
use taquilla_engine::waiting_room::admission::Admission;
use taquilla_engine::waiting_room::line::Standing;
use taquilla_engine::waiting_room::room::RoomTerms;
use taquilla_persistence::catalogue::EventRecord;
use taquilla_persistence::waiting_room::{AdmissionHead, QueueHeads};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::meter::{Meter, Sold};
use crate::admission::AdmissionTokens;
use crate::desk::EventDesk;
use crate::listings::Listings;

/// The rooms of this process.
pub struct WaitingRooms {
    rooms: Rooms,
    members_max: u32,
    node: Arc<Node>,
    payments: Arc<Payments>,
    listings: Arc<Listings>,
    heads: QueueHeads,
    /// Of rooms that had no owner here when an admission to them was shown.
    unowned: Mutex<HashMap<EventNumber, AdmissionTokens>>,
    listeners: Arc<Semaphore>,
    payments_closed: Arc<AtomicBool>,
}

/// Who follows his place by a stream keeps a connection.
const LISTENERS_MAX: usize = 5_000;

impl WaitingRooms {
    /// None yet.
    #[must_use]
    pub fn new(
        rooms: Rooms,
        members_max: u32,
        node: Arc<Node>,
        payments: Arc<Payments>,
        listings: Arc<Listings>,
        heads: QueueHeads,
    ) -> Self {
        let listeners = Arc::new(Semaphore::new(LISTENERS_MAX));
        let (unowned, payments_closed) = Default::default();
        Self {
            rooms,
            members_max,
            node,
            payments,
            listings,
            heads,
            unowned,
            listeners,
            payments_closed,
        }
    }

    /// The event's room; none if its sale has none.
    #[must_use]
    pub fn of(&self, event: &EventDesk) -> Option<RoomHandle> {
        self.open(&event.listed, &event.handle)
    }

    fn open(&self, listed: &EventRecord, handle: &EventHandle) -> Option<RoomHandle> {
        let sale = &listed.summary.sale;
        if !sale.waiting_room {
            return None;
        }
        let terms = RoomTerms {
            event: listed.summary.id,
            opens_at: sale.opens_at,
            members_max: self.members_max,
        };
        let meter = || -> Arc<dyn SaleGauge> {
            let sold = Sold {
                node: Arc::clone(&self.node),
                payments: Arc::clone(&self.payments),
                listings: Arc::clone(&self.listings),
                payments_closed: Arc::clone(&self.payments_closed),
            };
            Arc::new(Meter::new(listed, handle.clone(), sold))
        };
        Some(self.rooms.open(terms, meter))
    }

    /// Opens the rooms of all sales that are not over: a line moves though nobody asks.
    pub fn open_all(&self) {
        for event in self.listings.all() {
            let handle = self.node.event(event.summary.id.event());
            let is_over = |handle: &EventHandle| {
                let status = event.summary.sale.status(handle.now());
                matches!(status, SaleStatus::Closed | SaleStatus::Cancelled)
            };
            if let Some(handle) = handle.filter(|handle| !is_over(handle)) {
                self.open(&event, &handle);
            }
        }
    }

    /// What signs and reads the admissions to this event; none where its sale has no waiting room, or nobody has
    /// been let in. While the room's places cannot be read, those who were let in go on.
    pub async fn tokens(&self, event: &EventDesk) -> Option<AdmissionTokens> {
        let number = event.id().event();
        if let Some(line) = self.of(event)?.line() {
            return Some(AdmissionTokens::new(line.admission_key(), line.round()));
        }
        if let Some(tokens) = self.unowned.lock().get(&number) {
            return Some(tokens.clone());
        }
        let head = self.heads.admission(number).await;
        let head = head.inspect_err(|error| tracing::warn!(%error, "admissions cannot be read"));
        let AdmissionHead { key, round } = head.ok()??;
        // Only an owner raises the round, and then there is a line.
        let tokens = AdmissionTokens::new(key, round);
        self.unowned.lock().insert(number, tokens.clone());
        Some(tokens)
    }

    /// Whether the buyer has given up the place that this admission came of. While the room has no owner here, that
    /// is not known, and he may go on.
    pub fn has_left(&self, event: &EventDesk, buyer: &BuyerId, shown: Admission) -> bool {
        let Some(line) = self.of(event).and_then(|room| room.line()) else { return false };
        let number = line.number(line.ticket(buyer));
        let standing = number.map(|number| line.standing(number, event.handle.now()));
        // Of another place, or of none any more.
        !matches!(standing, Some(Standing::Admitted { admission, .. }) if admission.from == shown.from)
    }

    /// Whether a reconciliation keeps new payments closed: meanwhile nobody new is let in anywhere.
    pub fn close_payments(&self, closed: bool) {
        self.payments_closed.store(closed, Ordering::Relaxed);
    }

    /// A place among those who follow theirs by a stream; none if there are too many.
    #[must_use]
    pub fn listen(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.listeners).try_acquire_owned().ok()
    }

    /// Ends all owners.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }
}
