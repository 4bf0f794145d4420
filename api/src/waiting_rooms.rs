//! Waiting rooms as the edge works with them: each event's room, opened when it is asked for, and what its sale
//! measures of itself.

mod listeners;
mod meter;
mod tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::QueueTicketId;
use taquilla_engine::runtime::{EventHandle, Node, Payments, RoomHandle, Rooms, SaleGauge};
use taquilla_engine::waiting_room::admission::Admission;
use taquilla_engine::waiting_room::line::Standing;
use taquilla_engine::waiting_room::room::RoomTerms;
use taquilla_persistence::catalogue::EventRecord;
use taquilla_persistence::waiting_room::QueueHeads;

use self::listeners::Listeners;
pub use self::listeners::Listening;
use self::meter::{Meter, Sold};
use self::tokens::UnownedTokens;
use crate::admission::AdmissionTokens;
use crate::desk::EventDesk;
use crate::listings::Listings;
use crate::problem::Problem;

/// The rooms of this process.
pub struct WaitingRooms {
    rooms: Rooms,
    members_max: u32,
    node: Arc<Node>,
    payments: Arc<Payments>,
    listings: Arc<Listings>,
    unowned: UnownedTokens,
    listeners: Listeners,
    payments_closed: Arc<AtomicBool>,
}

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
        let (listeners, payments_closed) = Default::default();
        Self {
            rooms,
            members_max,
            node,
            payments,
            listings,
            unowned: UnownedTokens::new(heads),
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
            let is_over = |handle: &EventHandle| event.summary.sale.status(handle.now()).is_over();
            if let Some(handle) = handle.filter(|handle| !is_over(handle)) {
                self.open(&event, &handle);
            }
        }
    }

    /// What signs and reads the admissions to this event; none where its sale has no waiting room, or nobody has
    /// been let in. While the room's places cannot be read, those who were let in go on.
    ///
    /// # Errors
    /// `purchases-paused` if the room has no owner here and its head cannot be read; `overloaded`.
    pub async fn tokens(&self, event: &EventDesk) -> Result<Option<AdmissionTokens>, Problem> {
        let Some(room) = self.of(event) else { return Ok(None) };
        match room.line() {
            Some(line) => Ok(Some(AdmissionTokens::new(line.admission_key(), line.round()))),
            None => self.unowned.of(event.id().event()).await,
        }
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

    /// One more who follows this place by a stream; none if too many do, or too many follow theirs.
    #[must_use]
    pub fn listen(&self, ticket: QueueTicketId) -> Option<Listening> {
        self.listeners.listen(ticket)
    }

    /// Ends all owners.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }
}
