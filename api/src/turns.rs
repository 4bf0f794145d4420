//! One at a time by key, with bounds on how many wait and for how long: for work that many ask for at
//! once and that one of them does for all.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

use crate::problem::{Problem, overloaded};

/// Whose turn it is, of each key.
pub(crate) struct Turns<K: Hash + Eq + Clone> {
    queues: Arc<Queues<K>>,
    bounds: TurnBounds,
}

type Queues<K> = Mutex<HashMap<K, Queue>>;

/// Where turns end and `overloaded` begins.
#[derive(Clone, Copy)]
pub(crate) struct TurnBounds {
    /// Keys that somebody works on or waits for.
    pub(crate) keys_max: usize,
    /// Of one key, the one who works included.
    pub(crate) queue_max: usize,
    /// For the turn to come.
    pub(crate) patience: Duration,
}

struct Queue {
    place: Arc<Semaphore>,
    present: usize,
}

/// A turn. The next one's begins when it is dropped.
pub(crate) struct Turn<K: Hash + Eq + Clone> {
    _permit: OwnedSemaphorePermit,
    _presence: Presence<K>,
}

/// A place in a queue; the queue goes with the last.
struct Presence<K: Hash + Eq + Clone> {
    queues: Arc<Queues<K>>,
    key: K,
}

impl<K: Hash + Eq + Clone> Turns<K> {
    pub(crate) fn new(bounds: TurnBounds) -> Self {
        Self { queues: Arc::default(), bounds }
    }

    /// Waits for the turn of this key.
    ///
    /// # Errors
    /// `overloaded`, at once if too many wait, or after so long.
    pub(crate) async fn take(&self, key: K) -> Result<Turn<K>, Problem> {
        let (presence, place) = self.enter(key).ok_or_else(overloaded)?;
        let permit = timeout(self.bounds.patience, place.acquire_owned()).await;
        let permit = permit.map_err(|_| overloaded())?.expect("it is never closed");
        Ok(Turn { _permit: permit, _presence: presence })
    }

    fn enter(&self, key: K) -> Option<(Presence<K>, Arc<Semaphore>)> {
        let mut queues = self.queues.lock();
        if !queues.contains_key(&key) && queues.len() >= self.bounds.keys_max {
            return None;
        }
        let queue = queues
            .entry(key.clone())
            .or_insert_with(|| Queue { place: Arc::new(Semaphore::new(1)), present: 0 });
        if queue.present >= self.bounds.queue_max {
            return None;
        }
        queue.present += 1;
        Some((Presence { queues: Arc::clone(&self.queues), key }, Arc::clone(&queue.place)))
    }
}

impl<K: Hash + Eq + Clone> Drop for Presence<K> {
    fn drop(&mut self) {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&self.key) else { return };
        queue.present -= 1;
        if queue.present == 0 {
            queues.remove(&self.key);
        }
    }
}

/// Works on a thread of its own, away from those that serve requests. What the work needs to have (a
/// turn, a permit) goes into it and comes back with its result: such work cannot be broken off, so when
/// whoever asked for it goes away, the next one still waits for its end.
///
/// # Errors
/// If the work panics.
pub(crate) async fn apart<H, T>(
    held: H,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(T, H), JoinError>
where
    H: Send + 'static,
    T: Send + 'static,
{
    spawn_blocking(move || (work(), held)).await
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use axum::response::IntoResponse;
    use tokio::time::Instant;

    use super::*;

    const BOUNDS: TurnBounds =
        TurnBounds { keys_max: 2, queue_max: 2, patience: Duration::from_secs(3) };

    fn is_overloaded<T>(taken: Result<T, Problem>) -> bool {
        taken.is_err_and(|problem| problem.into_response().status() == 503)
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_is_waited_for_by_a_few_and_for_a_while() {
        let turns = Turns::new(BOUNDS);
        let first = turns.take("a").await.expect("nobody is before");
        let begun = Instant::now();
        let (second, third) = tokio::join!(turns.take("a"), turns.take("a"));
        assert!(is_overloaded(second) && is_overloaded(third));
        assert_eq!(begun.elapsed(), BOUNDS.patience, "one waited, one was turned away at once");
        turns.take("b").await.expect("another key's turn is another's");
        drop(first);
        turns.take("a").await.expect("the first has gone");
    }

    #[tokio::test(start_paused = true)]
    async fn keys_are_bounded_and_forgotten() {
        let turns = Turns::new(BOUNDS);
        let held = (turns.take("a").await.ok(), turns.take("b").await.ok());
        assert!(held.0.is_some() && held.1.is_some());
        assert!(is_overloaded(turns.take("c").await));
        drop(held);
        assert!(turns.queues.lock().is_empty());
        turns.take("c").await.expect("there is room again");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_keeps_its_turn_when_whoever_asked_for_it_has_gone() {
        let turns = Turns::new(TurnBounds { patience: Duration::from_millis(20), ..BOUNDS });
        let turn = turns.take("a").await.expect("nobody is before");
        let ((begins, begun), (end, told)) = (mpsc::channel(), mpsc::channel::<()>());
        let asking = tokio::spawn(apart(turn, move || {
            begins.send(()).expect("the test waits for it");
            told.recv().expect("the test tells it to end");
        }));
        tokio::task::block_in_place(|| begun.recv()).expect("it begins");
        asking.abort();
        assert!(asking.await.is_err_and(|error| error.is_cancelled()), "nobody waits any more");
        assert!(is_overloaded(turns.take("a").await), "the work goes on");
        end.send(()).expect("the work listens");
        let turns = Turns { bounds: BOUNDS, ..turns };
        turns.take("a").await.expect("the turn ends with the work");
    }
}
