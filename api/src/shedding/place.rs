//! A request's place among those at work, and how it steps aside while it waits for what is meant to be
//! waited for: a body that comes slowly, an order's next change. Neither is a sign of too much work.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::Shedding;

/// A place, which ends with the last of its clones; or none, where nothing is shed.
#[derive(Clone, Default)]
pub struct Place(Option<Arc<Held>>);

/// What an answer tells of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Something was decided.
    Decision,
    /// There is none: answers come, and how long this one took says something only if it came late.
    NoDecision,
    /// Nothing: it was answered without one.
    Nothing,
}

struct Held {
    shedding: Arc<Shedding>,
    is_decision: bool,
    /// None while it is aside.
    at_work_since: Mutex<Option<Instant>>,
}

impl Place {
    /// A place that the meter has counted.
    pub(super) fn taken(shedding: Arc<Shedding>, is_decision: bool) -> Self {
        let at_work_since = Mutex::new(Some(Instant::now()));
        Self(Some(Arc::new(Held { shedding, is_decision, at_work_since })))
    }

    /// Holds no place while this is waited for. Then it has one again, whoever has come meanwhile: what was
    /// let in is not turned away half way.
    pub async fn aside<T>(&self, waited_for: impl Future<Output = T>) -> T {
        self.step_aside();
        let came = waited_for.await;
        self.come_back();
        came
    }

    fn step_aside(&self) {
        self.0.iter().for_each(|held| _ = held.stop());
    }

    /// What it takes from now on counts.
    fn come_back(&self) {
        let Some(held) = &self.0 else { return };
        let mut since = held.at_work_since.lock();
        if since.is_none() {
            held.shedding.meter.begin(held.is_decision);
            *since = Some(Instant::now());
        }
    }

    /// The request is answered.
    pub(super) fn leave(&self, told: Told) {
        let Some(held) = &self.0 else { return };
        let Some(since) = held.stop() else { return };
        let was_slow = since.elapsed() >= held.shedding.target;
        match told {
            Told::Decision if held.is_decision => held.shedding.meter.answered(true, was_slow),
            Told::NoDecision if held.is_decision => held.shedding.meter.answered(false, was_slow),
            Told::Decision | Told::NoDecision | Told::Nothing => {}
        }
    }
}

impl Held {
    /// Since when it was at work, if it was.
    fn stop(&self) -> Option<Instant> {
        let since = self.at_work_since.lock().take()?;
        self.shedding.meter.end(self.is_decision);
        Some(since)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Its client has gone, or it panicked.
        self.stop();
    }
}

impl<S: Sync> FromRequestParts<S> for Place {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

/// A body of whose arrival its reader does not count as at work.
pub(super) struct Attended {
    body: Body,
    place: Place,
}

impl Attended {
    pub(super) fn new(body: Body, place: Place) -> Self {
        Self { body, place }
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        // Nobody waits for the rest of it.
        self.place.come_back();
    }
}

impl HttpBody for Attended {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Pending => self.place.step_aside(),
            Poll::Ready(_) => self.place.come_back(),
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::to_bytes;
    use futures_util::stream;
    use tokio::time::{advance, sleep};

    use super::super::{Class, Priority, SheddingSettings};
    use super::*;

    const TARGET: Duration = Duration::from_millis(500);

    fn shedding() -> Arc<Shedding> {
        let settings =
            SheddingSettings { target: TARGET, concurrency_min: 10, concurrency_max: 10 };
        Arc::new(Shedding::new(&settings))
    }

    fn decision(shedding: &Arc<Shedding>) -> Place {
        let class = Class { priority: Priority::Holds, is_decision: true };
        shedding.take_for(class).expect("there is room")
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_waited_for_holds_no_place_and_is_not_slow() {
        let shedding = shedding();
        let place = decision(&shedding);
        let at_work = || shedding.meter.turn(false).at_work;
        assert_eq!(at_work(), 1);
        let waited = async {
            assert_eq!(at_work(), 0);
            sleep(TARGET * 10).await;
        };
        place.aside(waited).await;
        assert_eq!(at_work(), 1);
        place.leave(Told::Decision);
        let window = shedding.meter.turn(false);
        assert_eq!((window.at_work, window.ended, window.slow), (0, 1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_slowly_is_waited_for_and_what_follows_it_is_measured() {
        let shedding = shedding();
        let place = decision(&shedding);
        let part = async |at_work: Arc<Shedding>| {
            sleep(TARGET * 2).await;
            assert_eq!(at_work.meter.turn(false).at_work, 0);
            Ok::<_, Infallible>("part")
        };
        let parts = stream::iter([Arc::clone(&shedding), Arc::clone(&shedding)]);
        let parts = futures_util::StreamExt::then(parts, part);
        let body = Body::new(Attended::new(Body::from_stream(parts), place.clone()));
        let bytes = to_bytes(body, 100).await.expect("it comes");
        assert_eq!(bytes, "partpart");
        assert_eq!(shedding.meter.turn(false).at_work, 1);
        advance(TARGET).await;
        place.leave(Told::Decision);
        let window = shedding.meter.turn(false);
        assert_eq!((window.ended, window.slow), (1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_ends_once_whoever_has_it_is_gone_wherever_he_was() {
        let shedding = shedding();
        drop(decision(&shedding));
        let place = decision(&shedding);
        let waiting = place.aside(std::future::pending::<()>());
        assert!(tokio::time::timeout(TARGET, waiting).await.is_err());
        drop(place);
        let window = shedding.meter.turn(false);
        assert_eq!((window.at_work, window.deciding, window.ended), (0, 0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_a_decision_tells_of_slowness_only() {
        let shedding = shedding();
        decision(&shedding).leave(Told::NoDecision);
        assert_eq!(shedding.meter.turn(false).ended, 0);
        let place = decision(&shedding);
        advance(TARGET).await;
        place.leave(Told::NoDecision);
        assert_eq!(shedding.meter.turn(false).slow, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_tells_nothing_is_not_measured_and_its_place_is_free() {
        let shedding = shedding();
        let place = decision(&shedding);
        advance(TARGET).await;
        place.leave(Told::Nothing);
        let window = shedding.meter.turn(false);
        assert_eq!((window.at_work, window.answered, window.ended, window.slow), (0, 0, 0, 0));
    }
}
