//! Turning requests away before any work is done for them, the least important first: `docs/overload.md`.
//!
//! One limit for the process on the requests that are at work at once, moved by how long decisions take
//! ([`limit`]). Each [`Priority`] may use a share of it, so what matters always finds room. In front of
//! everything else: a request that is shed has not had its token looked at.

mod limit;
mod meter;
mod metric;
mod place;
mod priority;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use tokio::time::{Instant, MissedTickBehavior, interval};

use self::limit::Limit;
use self::meter::Meter;
pub use self::metric::describe_metrics;
pub use self::place::Place;
use self::place::{Attended, Told};
use self::priority::Class;
pub use self::priority::Priority;
use crate::problem::overloaded;

/// Whoever is turned away comes again after so many seconds: not all of them together.
const RETRY_SECONDS: std::ops::RangeInclusive<u64> = 1..=3;

/// Where the limit may be.
#[derive(Clone, Copy, Debug)]
pub struct SheddingSettings {
    /// A decision that takes longer, its body's arrival apart, is slow.
    pub target: Duration,
    /// The limit is never below; at least 1.
    pub concurrency_min: usize,
    /// The limit begins here and is never above; not below `concurrency_min`.
    pub concurrency_max: usize,
}

/// The limit, and what is at work under it.
pub struct Shedding {
    target: Duration,
    /// What `limit` says, for those who only read it.
    now: AtomicUsize,
    limit: Mutex<Limit>,
    meter: Meter,
}

impl Shedding {
    /// Nothing is at work yet.
    #[must_use]
    pub fn new(settings: &SheddingSettings) -> Self {
        let limit = Limit::new(settings.concurrency_min, settings.concurrency_max);
        Self {
            target: settings.target,
            now: AtomicUsize::new(limit.now()),
            limit: Mutex::new(limit),
            meter: Meter::default(),
        }
    }

    /// A place for work of this priority that is not measured; none if its share of the limit is used up.
    #[must_use]
    pub fn take(self: &Arc<Self>, priority: Priority) -> Option<Place> {
        self.take_for(Class::unmeasured(priority))
    }

    fn take_for(self: &Arc<Self>, class: Class) -> Option<Place> {
        let room = class.priority.room(self.now.load(Ordering::Relaxed));
        let begun = self.meter.begin_below(room, class.is_decision);
        begun.then(|| Place::taken(Arc::clone(self), class.is_decision))
    }

    /// Moves the limit for ever. Whoever never does this has the limit that he began with.
    pub(crate) async fn keep_measuring(self: Arc<Self>) {
        // Half as long: what nobody has answered for two beats takes longer than the target.
        let mut beat = interval((self.target / 2).max(Duration::from_millis(1)));
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let due = beat.tick().await;
            self.measure(Instant::now().saturating_duration_since(due));
        }
    }

    /// A window is over; its end came so late, which is how long everything else waits for a thread.
    fn measure(&self, lag: Duration) {
        let window = self.meter.turn(lag >= self.target);
        let mut limit = self.limit.lock();
        limit.move_after(&window);
        self.now.store(limit.now(), Ordering::Relaxed);
        metric::measured(window.at_work, limit.now());
    }
}

/// Answers the request if there is room for its priority; where nothing is shed there always is.
pub(crate) async fn shed_or_answer<A: Future<Output = Response>>(
    shedding: Option<&Arc<Shedding>>,
    mut request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let Some(shedding) = shedding else { return answer(request).await };
    let class = Class::of(request.method(), request.uri().path());
    let Some(place) = shedding.take_for(class) else {
        metric::shed(class.priority);
        let seconds = rand::random_range(RETRY_SECONDS);
        return overloaded().with_header(RETRY_AFTER, seconds.into()).into_response();
    };
    request.extensions_mut().insert(place.clone());
    if !request.body().is_end_stream() {
        request = request.map(|body| Body::new(Attended::new(body, place.clone())));
    }
    let response = answer(request).await;
    place.leave(told_by(response.status()));
    response
}

/// What an answer says of how long decisions take.
fn told_by(status: StatusCode) -> Told {
    match status {
        status if status.is_success() => Told::Decision,
        StatusCode::CONFLICT => Told::Decision,
        StatusCode::SERVICE_UNAVAILABLE => Told::NoDecision,
        // Most come from the edge alone: however many there are, decisions may be slow, or never end.
        _ => Told::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const TARGET: Duration = Duration::from_millis(500);

    async fn decide(shedding: &Arc<Shedding>, how_many: usize, takes: Duration) {
        let class = Class { priority: Priority::Payments, is_decision: true };
        let places: Vec<Place> =
            (0..how_many).map(|_| shedding.take_for(class).expect("room")).collect();
        sleep(takes).await;
        places.iter().for_each(|place| place.leave(Told::Decision));
    }

    #[test]
    fn only_what_decided_something_is_measured_as_a_decision() {
        for status in 100..1_000 {
            let expected = match status {
                200..=299 | 409 => Told::Decision,
                503 => Told::NoDecision,
                _ => Told::Nothing,
            };
            let status = StatusCode::from_u16(status).expect("three digits");
            assert_eq!(told_by(status), expected, "{status}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_by_the_edge_neither_hide_slow_decisions_nor_those_that_never_end() {
        let settings =
            SheddingSettings { target: TARGET, concurrency_min: 4, concurrency_max: 100 };
        let shedding = Arc::new(Shedding::new(&settings));
        let class = Class { priority: Priority::Payments, is_decision: true };
        let place = || shedding.take_for(class).expect("room");
        let refuse = || (0..1_000).for_each(|_| place().leave(Told::Nothing));
        let limit = || shedding.now.load(Ordering::Relaxed);
        let never_end: Vec<Place> = (0..10).map(|_| place()).collect();
        for _ in 0..2 {
            refuse();
            shedding.measure(Duration::ZERO);
        }
        assert_eq!(limit(), 9, "of eleven that were at work");
        sleep(TARGET).await;
        never_end.iter().for_each(|place| place.leave(Told::Decision));
        refuse();
        shedding.measure(Duration::ZERO);
        assert_eq!(limit(), 8, "ten slow ones are slow whatever was refused meanwhile");
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_follows_how_long_decisions_take() {
        let settings =
            SheddingSettings { target: TARGET, concurrency_min: 4, concurrency_max: 100 };
        let shedding = Arc::new(Shedding::new(&settings));
        let measuring = tokio::spawn(Arc::clone(&shedding).keep_measuring());
        let limit = || shedding.now.load(Ordering::Relaxed);
        decide(&shedding, 100, TARGET / 10).await;
        sleep(TARGET).await;
        assert_eq!(limit(), 100);
        decide(&shedding, 50, TARGET).await;
        sleep(TARGET).await;
        assert!((36..=45).contains(&limit()), "{}", limit());
        assert!(shedding.take(Priority::Holds).is_some());
        for _ in 0..40 {
            decide(&shedding, limit(), TARGET / 10).await;
            sleep(TARGET / 2).await;
        }
        assert_eq!(limit(), 100);
        measuring.abort();
    }
}
