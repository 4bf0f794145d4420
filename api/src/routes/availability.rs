//! What is free, as the event's owner last published it.

pub(super) mod stream;

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use taquilla_engine::answer::PauseReason;
use taquilla_engine::id::Sequence;
use utoipa::IntoParams;

use super::conditional::{BINARY, is_known, wants_binary};
use crate::desk::{Desk, EventDesk, OWNER_WAIT_MAX};
use crate::forms::number::Whole;
use crate::limits::Limits;
use crate::live_maps::{LiveMap, LiveMaps, Shown};
use crate::problem::documented::PublicReadProblems;
use crate::problem::{Problem, paused};
use crate::strict::{PathName, StrictQuery};
use crate::views::AvailabilityAnswer;

/// The map moves at most twice a second.
const FOR_A_SECOND: HeaderValue = HeaderValue::from_static("public, max-age=1");

/// A row's sequence is a `bigint`.
const VERSION_MAX: u64 = i64::MAX as u64;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AvailabilityQuery {
    /// The version that the caller has: what has changed since is answered, or the whole map if that is too long ago.
    #[param(value_type = Option<u64>)]
    since: Option<Whole<0, VERSION_MAX>>,
}

/// The state of every seat and the places left in general sections, or what has changed of them since a version. The
/// binary form is always the whole map.
#[utoipa::path(
    get,
    path = "/events/{event_id}/availability",
    tag = "seat maps",
    params(("event_id" = String, Path, description = "Id or slug"), AvailabilityQuery),
    responses(
        (status = 200, content(
            (AvailabilityAnswer = "application/json"),
            (Vec<u8> = "application/octet-stream"),
        )),
        (status = 304, description = "The caller has this version"),
        PublicReadProblems
    )
)]
pub(super) async fn show_availability(
    State(desk): State<Desk>,
    State(maps): State<Arc<LiveMaps>>,
    State(limits): State<Arc<Limits>>,
    event: PathName,
    query: StrictQuery<AvailabilityQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    limits.count_map_read()?;
    let event = desk.event(&event.reference()?).await?;
    let (_, shown) = seen(&maps, &event).await?;
    let since = query.0.since.map(version);
    let (form, media_type) =
        if wants_binary(&headers) { ("binary", BINARY) } else { ("json", "application/json") };
    let etag = match since {
        Some(since) if form == "json" => format!("{}-{form}-{}", shown.map().version.0, since.0),
        Some(_) | None => format!("{}-{form}", shown.map().version.0),
    };
    let etag = format!("\"{etag}\"");
    // Weak: a version says the same whenever it was seen, but for when that was.
    let tag =
        HeaderValue::try_from(format!("W/{etag}")).expect("digits and letters are a header value");
    let cached =
        [(ETAG, tag), (CACHE_CONTROL, FOR_A_SECOND), (VARY, HeaderValue::from_static("accept"))];
    if is_known(&headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let bytes = match (form, since.and_then(|since| shown.changes_since(since))) {
        ("binary", _) => shown.binary(),
        (_, Some(changes)) => changes,
        (_, None) => shown.json(),
    };
    Ok((cached, [(CONTENT_TYPE, media_type)], bytes).into_response())
}

fn version(Whole(version): Whole<0, VERSION_MAX>) -> Sequence {
    Sequence(i64::try_from(version).expect("it is no more"))
}

/// The event's map, once it has one.
async fn seen(maps: &LiveMaps, event: &EventDesk) -> Result<(Arc<LiveMap>, Arc<Shown>), Problem> {
    let (map, handle) = (maps.of(&event.handle), &event.handle);
    if map.latest(handle).is_none() {
        handle.started(OWNER_WAIT_MAX).await;
    }
    match map.latest(handle) {
        Some(shown) => Ok((map, shown)),
        None => Err(paused(handle.paused().unwrap_or(PauseReason::Starting))),
    }
}
