//! What is free, as the event's owner last published it.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::conditional::{BINARY, is_known, wants_binary};
use crate::desk::{Desk, EventDesk, OWNER_WAIT_MAX};
use crate::forms::number::Whole;
use crate::problem::documented::PublicReadProblems;
use crate::problem::{Problem, paused};
use crate::strict::{PathName, StrictQuery};
use crate::views::{AvailabilityView, binary_availability};

/// The map moves at most twice a second.
const FOR_A_SECOND: HeaderValue = HeaderValue::from_static("public, max-age=1");

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AvailabilityQuery {
    /// The version that the caller has. What is answered is the whole map.
    #[expect(dead_code, reason = "read for its form only, while no history is kept")]
    #[param(value_type = Option<u64>)]
    since: Option<Whole<0, { i64::MAX as u64 }>>,
}

/// The state of every seat, and the places left in general sections.
#[utoipa::path(
    get,
    path = "/events/{event_id}/availability",
    tag = "seat maps",
    params(("event_id" = String, Path, description = "Id or slug"), AvailabilityQuery),
    responses(
        (status = 200, content(
            (AvailabilityView = "application/json"),
            (Vec<u8> = "application/octet-stream"),
        )),
        (status = 304, description = "The caller has this version"),
        PublicReadProblems
    )
)]
pub(super) async fn show_availability(
    State(desk): State<Desk>,
    event: PathName,
    _query: StrictQuery<AvailabilityQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let EventDesk { handle, .. } = desk.event(&event.reference()?).await?;
    if handle.availability().sections.is_empty() {
        handle.started(OWNER_WAIT_MAX).await;
    }
    let map = handle.availability();
    if map.sections.is_empty()
        && let Some(reason) = handle.paused()
    {
        return Err(paused(reason));
    }
    let binary = wants_binary(&headers);
    let etag = format!("\"{}-{}\"", map.version.0, if binary { "binary" } else { "json" });
    let tag = HeaderValue::try_from(&etag).expect("digits and letters are a header value");
    let cached =
        [(ETAG, tag), (CACHE_CONTROL, FOR_A_SECOND), (VARY, HeaderValue::from_static("accept"))];
    Ok(if is_known(&headers, &etag) {
        (StatusCode::NOT_MODIFIED, cached).into_response()
    } else if binary {
        let bytes = binary_availability(&map, handle.terms());
        (cached, [(CONTENT_TYPE, BINARY)], bytes).into_response()
    } else {
        (cached, Json(AvailabilityView::of(&map, handle.terms()))).into_response()
    })
}
