//! A buyer's place as it moves, sent as it does: Server-Sent Events.
//!
//! Nothing is gathered for anybody: each look is made when the last one has been sent, so a slow reader misses
//! what has passed meanwhile and no more. Whoever listens when he is called is there.

use std::convert::Infallible;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::time::{Instant, sleep};

use super::visit::{Glance, Visit};
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

/// What he was told last, and when he is told again though nothing is new.
struct Sent {
    glance: Glance,
    state: PlaceState,
    next: Instant,
}

impl Listener {
    /// The next thing to tell; none at the end.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        let mut looks_at_once = self.sent.is_none();
        loop {
            if !mem::take(&mut looks_at_once) {
                tokio::select! {
                    () = self.stopping.0.cancelled() => return None,
                    () = sleep(LOOK) => {}
                }
            }
            if Instant::now() >= self.until || self.sent.as_ref().is_some_and(Sent::is_over) {
                return None;
            }
            self.visit.look_again();
            // Whatever stands in the way of a look may be gone at the next.
            if self.has_news()
                && let Ok(view) = self.visit.show().await
            {
                return Some((Ok(self.tell(&view)), self));
            }
        }
    }

    fn has_news(&self) -> bool {
        self.sent
            .as_ref()
            .is_none_or(|sent| sent.next <= Instant::now() || sent.glance != self.visit.glance())
    }

    fn tell(&mut self, view: &QueueTicketView) -> Event {
        let (state, poll_after) = (view.state(), view.poll_after());
        let next = Instant::now() + poll_after;
        self.sent = Some(Sent { glance: self.visit.glance(), state, next });
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
