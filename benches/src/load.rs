//! So many requests in flight: each client asks, waits for its answer, and asks again.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::scale::Scale;
use crate::workload::{Requests, Wanted};

/// A way to a hold.
pub trait Way: Send + Sync + 'static {
    /// Has the hold placed; the answer is durable.
    fn place(&self, wanted: Wanted) -> impl Future<Output = Placed> + Send;
}

/// Clients of one way, whichever it is.
pub trait Clients {
    /// As [`Load::run`].
    fn run(&mut self, until: Until) -> Pin<Box<dyn Future<Output = Slice> + '_>>;
}

impl<W: Way> Clients for Load<W> {
    fn run(&mut self, until: Until) -> Pin<Box<dyn Future<Output = Slice> + '_>> {
        Box::pin(Load::run(self, until))
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The buyer has the seats.
    Granted,
    /// Some are taken, or the buyer would have too many.
    Refused,
}

/// When the clients stop asking.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this time.
    Elapsed(Duration),
    /// After so many granted holds.
    Granted(u64),
}

/// What the clients saw until the last had its answer.
#[derive(Debug, Default)]
pub struct Slice {
    /// Holds that were granted.
    pub granted: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// From each granted request to its answer, in microseconds.
    pub latencies: Vec<u64>,
    /// Processor time of clients that are a process of their own.
    pub generator_cpu: Duration,
}

impl Slice {
    /// Granted holds a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.granted as f64 / self.elapsed.as_secs_f64()
    }
}

/// Clients of one way.
#[derive(Debug)]
pub struct Load<W> {
    way: Arc<W>,
    clients: Vec<Requests>,
}

impl<W: Way> Load<W> {
    /// As many clients as the scale has requests in flight. A round is used once an event.
    #[must_use]
    pub fn new(way: Arc<W>, scale: &Scale, round: u64) -> Self {
        Self { way, clients: Requests::of_clients(scale, round) }
    }

    /// The way that is asked.
    #[must_use]
    pub fn way(&self) -> &W {
        &self.way
    }

    /// Lets all clients go at once and returns when each has its last answer.
    pub async fn run(&mut self, until: Until) -> Slice {
        let granted = Arc::new(AtomicU64::new(0));
        let started = Instant::now();
        let goes_on = move |granted: &AtomicU64| match until {
            Until::Elapsed(time) => started.elapsed() < time,
            Until::Granted(holds) => granted.load(Ordering::Relaxed) < holds,
        };
        let mut clients = JoinSet::new();
        for mut requests in self.clients.drain(..) {
            let (way, granted) = (Arc::clone(&self.way), Arc::clone(&granted));
            clients.spawn(async move {
                let mut seen = Slice::default();
                while goes_on(&granted) {
                    let wanted = requests.draw();
                    let asked = Instant::now();
                    match way.place(wanted).await {
                        Placed::Granted => {
                            granted.fetch_add(1, Ordering::Relaxed);
                            seen.granted += 1;
                            seen.latencies.push(micros(asked.elapsed()));
                        }
                        Placed::Refused => seen.refused += 1,
                    }
                }
                (requests, seen)
            });
        }
        let mut slice = Slice::default();
        while let Some(client) = clients.join_next().await {
            let (requests, seen) = client.expect("a client does not panic");
            slice.elapsed = started.elapsed();
            slice.granted += seen.granted;
            slice.refused += seen.refused;
            slice.latencies.extend(seen.latencies);
            self.clients.push(requests);
        }
        slice
    }

    /// How long so many granted holds take, reckoned from as many as it took to be sure of them.
    pub async fn time_of(&mut self, holds: u64) -> Duration {
        let slice = self.run(Until::Granted(holds)).await;
        slice.elapsed.mul_f64(holds as f64 / slice.granted as f64)
    }
}

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("no answer takes ages")
}
