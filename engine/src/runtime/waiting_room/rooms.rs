//! The waiting rooms that this process owns.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handle::RoomHandle;
use super::owner::{RoomSettings, RoomWorld};
use super::regulator::SaleGauge;
use crate::clock::Clock;
use crate::id::EventNumber;
use crate::waiting_room::journal::QueueJournal;
use crate::waiting_room::room::RoomTerms;

/// How long a stop waits for the batches on their way: each is given up at five seconds.
const STOP_MAX: Duration = Duration::from_secs(6);

/// Rooms, each with its owner.
pub struct Rooms {
    journal: Arc<dyn QueueJournal>,
    clock: Arc<dyn Clock>,
    settings: RoomSettings,
    rooms: papaya::HashMap<EventNumber, RoomHandle>,
    /// One room is opened at a time.
    opening: Mutex<()>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Rooms {
    /// None yet.
    #[must_use]
    pub fn new(
        journal: Arc<dyn QueueJournal>,
        clock: Arc<dyn Clock>,
        settings: RoomSettings,
    ) -> Self {
        let (rooms, opening, tasks, stopping) = Default::default();
        Self { journal, clock, settings, rooms, opening, tasks, stopping }
    }

    /// Owns this room from now on; opened again, it stays as it is.
    pub fn open(&self, terms: RoomTerms, sale: impl FnOnce() -> Arc<dyn SaleGauge>) -> RoomHandle {
        let event = terms.event.event();
        if let Some(room) = self.room(event) {
            return room;
        }
        let _alone = self.opening.lock();
        if let Some(room) = self.room(event) {
            return room;
        }
        let (journal, clock) = (Arc::clone(&self.journal), Arc::clone(&self.clock));
        let world = RoomWorld { journal, clock, sale: sale() };
        let (settings, stopping) = (self.settings, self.stopping.clone());
        let room = RoomHandle::open(world, terms, settings, &self.tasks, stopping);
        self.rooms.pin().insert(event, room.clone());
        room
    }

    /// The room, if it is one of this process's.
    #[must_use]
    pub fn room(&self, event: EventNumber) -> Option<RoomHandle> {
        self.rooms.pin().get(&event).cloned()
    }

    /// Ends all owners. What was not answered is for whoever asks again.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        if timeout(STOP_MAX, self.tasks.wait()).await.is_err() {
            tracing::error!("owners of waiting rooms do not end");
        }
    }
}
