//! Who follows his place by a stream: so many in all, and so many a place.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use taquilla_engine::id::QueueTicketId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Each keeps a connection for ten minutes: half of those that a process takes as shipped
/// (`http.connections_max`), so that the others are left for those who buy.
const LISTENERS_MAX: usize = 5_000;
/// One buyer's tabs and devices. More would be somebody who keeps others from following theirs.
const OF_ONE_PLACE_MAX: u32 = 4;

/// All who listen in this process.
pub(super) struct Listeners {
    all: Arc<Semaphore>,
    of_places: Arc<Mutex<HashMap<QueueTicketId, u32>>>,
}

/// One who listens, until it is dropped.
pub struct Listening {
    of_places: Arc<Mutex<HashMap<QueueTicketId, u32>>>,
    ticket: QueueTicketId,
    _of_all: OwnedSemaphorePermit,
}

impl Default for Listeners {
    fn default() -> Self {
        Self::at_most(LISTENERS_MAX)
    }
}

impl Listeners {
    fn at_most(max: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(max)), of_places: Arc::default() }
    }

    /// One more; none if there are too many, in all or of this place.
    pub(super) fn listen(&self, ticket: QueueTicketId) -> Option<Listening> {
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let mut of_places = self.of_places.lock();
        let count = of_places.entry(ticket).or_default();
        if *count >= OF_ONE_PLACE_MAX {
            return None;
        }
        *count += 1;
        let of_places = Arc::clone(&self.of_places);
        Some(Listening { of_places, ticket, _of_all: of_all })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut of_places = self.of_places.lock();
        let Some(count) = of_places.get_mut(&self.ticket) else { return };
        *count -= 1;
        if *count == 0 {
            of_places.remove(&self.ticket);
        }
    }
}

#[cfg(test)]
mod tests {
    use taquilla_engine::buyer::BuyerId;
    use taquilla_engine::id::EventNumber;

    use super::*;

    fn ticket(buyer: &str) -> QueueTicketId {
        let buyer = BuyerId::parse(buyer).expect("a buyer");
        QueueTicketId::derive(EventNumber(1), &[1; 32], &buyer)
    }

    #[test]
    fn listeners_are_bounded_in_all_and_of_each_place_and_forgotten() {
        let listeners = Listeners::at_most(6);
        let listen = |buyer, count: u32| -> Vec<Listening> {
            (0..count).filter_map(|_| listeners.listen(ticket(buyer))).collect()
        };
        let mut anas = listen("ana", 9);
        assert_eq!(anas.len(), 4);
        let evas = listen("eva", 4);
        assert_eq!(evas.len(), 2, "all are six");
        drop(anas.pop());
        anas.extend(listen("ana", 9));
        assert_eq!(anas.len(), 4, "one gave its place back");
        drop((anas, evas));
        assert!(listeners.of_places.lock().is_empty());
        assert_eq!(listeners.all.available_permits(), 6);
    }
}
