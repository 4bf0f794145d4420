//! A buyer's place as it moves, sent as it does: Server-Sent Events.
//!
//! Nothing is gathered for anybody: each look is made when the last one has been sent, so a slow reader misses
//! what has passed meanwhile and no more. Whoever listens when he is called is there.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::time::{Instant, sleep};

use super::visit::Visit;
use crate::auth::Buyer;
use crate::desk::Desk;
use crate::problem::documented::BuyerReadProblems;
use crate::problem::{Problem, overloaded};
use crate::routes::answered::PRIVATE;
use crate::stopping::Stopping;
use crate::strict::PathName;
use crate::views::{PlaceState, QueueTicketView};
use crate::waiting_rooms::{Listening, WaitingRooms};

/// The line moves once a second.
const LOOK: Duration = Duration::from_secs(1);
/// What may become of an admission can wait, but for its renewal.
const LOOK_INSIDE: Duration = Duration::from_secs(30);
/// A proxy gives a silent connection up after a minute or so.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Then the listener comes again, with a token that is still good.
const STREAM_MAX: Duration = Duration::from_secs(600);

/// One listener.
struct Listener {
    visit: Visit,
    sent: Option<Sent>,
    until: Instant,
    stopping: Stopping,
    _listening: Listening,
}

/// What he was told last.
struct Sent {
    state: PlaceState,
    poll_after: Duration,
    next: Instant,
}

impl Listener {
    /// The next thing to tell; none at the end.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        let mut pause = self.sent.as_ref().map(Sent::pause);
        loop {
            if let Some(pause) = pause {
                tokio::select! {
                    () = self.stopping.0.cancelled() => return None,
                    () = sleep(pause) => {}
                }
            }
            if Instant::now() >= self.until || self.sent.as_ref().is_some_and(Sent::is_over) {
                return None;
            }
            self.visit.look_again();
            // Whatever stands in the way of a look may be gone at the next.
            if let Ok(view) = self.visit.show().await
                && self.is_news(&view)
            {
                return Some((Ok(self.tell(&view)), self));
            }
            pause = Some(self.sent.as_ref().map_or(LOOK, Sent::pause));
        }
    }

    fn is_news(&self, view: &QueueTicketView) -> bool {
        self.sent
            .as_ref()
            .is_none_or(|sent| sent.state != view.state() || sent.next <= Instant::now())
    }

    fn tell(&mut self, view: &QueueTicketView) -> Event {
        let (state, poll_after) = (view.state(), view.poll_after());
        self.sent = Some(Sent { state, poll_after, next: Instant::now() + poll_after });
        let place = serde_json::to_string(view).expect("a view of ours is JSON");
        // Who loses the stream comes again when he would have asked.
        Event::default().event("place").retry(poll_after).data(place)
    }
}

impl Sent {
    /// Nothing will be heard of this place any more.
    fn is_over(&self) -> bool {
        match self.state {
            PlaceState::PreSale | PlaceState::Waiting | PlaceState::Admitted => false,
            PlaceState::Expired | PlaceState::Left => true,
        }
    }

    /// Until the next look.
    fn pause(&self) -> Duration {
        match self.state {
            PlaceState::PreSale | PlaceState::Waiting | PlaceState::Expired | PlaceState::Left => {
                LOOK
            }
            PlaceState::Admitted => LOOK_INSIDE.min(self.poll_after),
        }
    }
}

/// Where the caller stands, as it moves: `place` events with what `GET …/queue` answers.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue/stream",
    tag = "waiting room",
    security(("bearer" = [])),
    params(("event_id" = String, Path, description = "Id or slug")),
    responses(
        (status = 200, body = String, content_type = "text/event-stream"),
        BuyerReadProblems
    )
)]
pub(in crate::routes) async fn follow_place(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    Buyer(buyer): Buyer,
    event: PathName,
    stopping: Stopping,
) -> Result<Response, Problem> {
    let visit = Visit::begin(&desk, &rooms, &event, buyer).await?;
    let listening = rooms.listen(visit.ticket()).ok_or_else(overloaded)?;
    // Who has no place is told so at once, and not in a stream.
    visit.show().await?;
    let until = Instant::now() + STREAM_MAX;
    let listener = Listener { visit, sent: None, until, stopping, _listening: listening };
    let places = stream::unfold(listener, Listener::next);
    let stream = Sse::new(places).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    Ok(([PRIVATE], stream).into_response())
}
