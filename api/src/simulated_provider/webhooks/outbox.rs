//! What waits to be told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use uuid::Uuid;

use super::{Endpoint, Event};
use crate::simulated_provider::faults::Faults;
use crate::simulated_provider::payment_method::Webhooks;

/// Events that wait in memory, some 200 bytes each beside their entry. Those beyond it wait in the
/// books for the next start.
const WAITING_MAX: usize = 100_000;

/// Told once a delivery of an event has been tried, or none will be soon.
pub(in crate::simulated_provider) type Tried = oneshot::Sender<()>;

/// Filled by the books, emptied by the postman.
#[derive(Debug)]
pub(in crate::simulated_provider) struct Outbox {
    pub(super) instance: Uuid,
    faults: Faults,
    state: Mutex<State>,
    /// Something is due earlier than was known.
    pub(super) changed: Notify,
}

#[derive(Debug)]
struct State {
    endpoint: Option<Arc<Endpoint>>,
    /// By when each is due, and its event's number.
    waiting: BTreeMap<(Instant, u64), Letter>,
    left_out: u64,
}

/// An event on its way.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) event: Event,
    /// Deliveries that failed.
    pub(super) failures: u32,
    pub(super) tried: Option<Tried>,
}

impl Outbox {
    pub(in crate::simulated_provider) fn new(
        instance: Uuid,
        faults: Faults,
        endpoint: Option<Endpoint>,
    ) -> Self {
        let endpoint = endpoint.map(Arc::new);
        let state = State { endpoint, waiting: BTreeMap::new(), left_out: 0 };
        Self { instance, faults, state: Mutex::new(state), changed: Notify::new() }
    }

    /// Takes an event that is on the disk.
    pub(in crate::simulated_provider) fn put(&self, event: Event, tried: Option<Tried>) {
        let due = Instant::now() + self.faults.of_webhook(event.id(self.instance)).delay;
        let mut state = self.state.lock();
        if state.waiting.len() >= WAITING_MAX {
            state.left_out += 1;
            if state.left_out == 1 {
                tracing::warn!("too many webhooks wait; the next ones wait for another start");
            }
            return;
        }
        // Without an endpoint nothing is tried soon: nobody shall wait for it.
        let tried = tried.filter(|_| state.endpoint.is_some());
        state.waiting.insert((due, event.number), Letter { event, failures: 0, tried });
        drop(state);
        self.changed.notify_one();
    }

    /// Puts back what was not acknowledged.
    pub(super) fn put_back(&self, letter: Letter, pause: Duration) {
        let key = (Instant::now() + pause, letter.event.number);
        self.state.lock().waiting.insert(key, letter);
    }

    /// Sends everything there from now on, and what waits, at once.
    pub(in crate::simulated_provider) fn set_endpoint(&self, endpoint: Endpoint) {
        let mut state = self.state.lock();
        state.endpoint = Some(Arc::new(endpoint));
        let now = Instant::now();
        let waiting = std::mem::take(&mut state.waiting);
        state.waiting =
            waiting.into_iter().map(|((due, number), it)| ((due.min(now), number), it)).collect();
        drop(state);
        self.changed.notify_one();
    }

    /// What is due, with where it goes.
    pub(super) fn take_due(&self) -> Option<(Letter, Arc<Endpoint>)> {
        let mut state = self.state.lock();
        let endpoint = state.endpoint.clone()?;
        let first = state.waiting.first_entry().filter(|it| it.key().0 <= Instant::now())?;
        Some((first.remove(), endpoint))
    }

    /// When the next one is due, if there is anywhere to send it.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let state = self.state.lock();
        state.endpoint.as_ref()?;
        state.waiting.first_key_value().map(|((due, _), _)| *due)
    }

    pub(super) fn is_sent_twice(&self, event: &Event) -> bool {
        event.webhooks == Webhooks::Twice
            || self.faults.of_webhook(event.id(self.instance)).is_doubled
    }
}
