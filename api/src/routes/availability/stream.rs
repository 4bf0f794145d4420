//! The map as it moves: Server-Sent Events. What a listener misses is told together, or replaced by the whole map: it is
//! looked for when he has taken in what was sent before, and nothing waits for him.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use taquilla_engine::event::Availability;
use taquilla_engine::id::Sequence;
use taquilla_engine::runtime::EventHandle;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::seen;
use crate::desk::Desk;
use crate::live_maps::{Following, LiveMap, LiveMaps, metric};
use crate::problem::documented::PublicReadProblems;
use crate::problem::{Problem, overloaded};
use crate::stopping::Stopping;
use crate::strict::PathName;

/// A proxy gives a silent connection up after a minute or so.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Whoever is cut off comes again after so long, so that a process that stops is not asked by all at once.
const OPENING: &str = "retry: 2000\n\n";

const COMMENT: &str = ": still here\n\n";

/// What an `EventSource` says that it saw last.
const LAST_EVENT_ID: &str = "last-event-id";

/// Proxies that gather answers before they pass them on are asked not to.
const UNBUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// One who follows.
struct Follower {
    event: EventHandle,
    map: Arc<LiveMap>,
    published: watch::Receiver<Arc<Availability>>,
    saw: Option<Sequence>,
    is_open: bool,
    beats: Interval,
    stopping: Stopping,
    _following: Following,
}

impl Follower {
    /// The next thing to send; none at the end.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if !self.is_open {
            self.is_open = true;
            return Some((Ok(OPENING.into()), self));
        }
        loop {
            if let Some(frame) = self.look() {
                self.beats.reset();
                return Some((Ok(frame), self));
            }
            tokio::select! {
                () = self.stopping.0.cancelled() => return None,
                changed = self.published.changed() => changed.ok()?,
                _ = self.beats.tick() => return Some((Ok(COMMENT.into()), self)),
            }
        }
    }

    /// What he has not seen.
    fn look(&mut self) -> Option<Bytes> {
        self.published.mark_unchanged();
        let shown = self.map.latest(&self.event)?;
        let version = shown.map().version;
        let frame = match self.saw {
            Some(saw) if saw == version => return None,
            Some(saw) => shown.frame_since(saw),
            None => shown.snapshot_frame(),
        };
        self.saw = Some(version);
        metric::sent(self.event.now().since(shown.map().changed_at));
        Some(frame)
    }
}

/// The map as it moves. First the whole map, `snapshot`, or what has changed since `Last-Event-ID`; then what changes,
/// `delta`, or the whole map again where that is shorter or the listener was too slow.
#[utoipa::path(
    get,
    path = "/events/{event_id}/availability/stream",
    tag = "seat maps",
    params(
        ("event_id" = String, Path, description = "Id or slug"),
        ("Last-Event-ID" = Option<String>, Header, description = "The version that the caller has"),
    ),
    responses(
        (status = 200, body = String, content_type = "text/event-stream"),
        PublicReadProblems
    )
)]
pub(in crate::routes) async fn follow_availability(
    State(desk): State<Desk>,
    State(maps): State<Arc<LiveMaps>>,
    event: PathName,
    headers: HeaderMap,
    stopping: Stopping,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let (map, _) = seen(&maps, &event).await?;
    let following = maps.follow().ok_or_else(overloaded)?;
    let mut beats = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let follower = Follower {
        published: event.handle.availability_changes(),
        event: event.handle,
        map,
        saw: saw_last(&headers),
        is_open: false,
        beats,
        stopping,
        _following: following,
    };
    let body = Body::from_stream(stream::unfold(follower, Follower::next));
    let no_cache = (CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let stream = (CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(([no_cache, stream, UNBUFFERED], body).into_response())
}

/// What is no version of ours is as good as none: whoever reads by the standard sends back what he was sent.
fn saw_last(headers: &HeaderMap) -> Option<Sequence> {
    let last = headers.get(LAST_EVENT_ID)?.to_str().ok()?;
    last.parse().ok().map(Sequence)
}
