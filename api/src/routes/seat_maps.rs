//! Where an event's seats lie: large, and the same for as long as the event has its plan.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use taquilla_persistence::catalogue::Catalogue;
use utoipa::IntoParams;

use super::conditional::{Wanted, is_known, wanted};
use crate::desk::Desk;
use crate::problem::Problem;
use crate::problem::documented::PublicReadProblems;
use crate::seat_maps::SeatMaps;
use crate::strict::{PathName, StrictQuery};
use crate::views::SeatMapView;

/// Under its own version a map never changes; under none it may be another one day.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const FOR_A_MINUTE: &str = "public, max-age=60";

/// Ends the tag of the compressed form.
const GZIP_SUFFIX: &str = "-gzip";

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SeatMapQuery {
    /// The map's `ETag`, without its quotes: what is answered may then be kept for ever.
    v: Option<String>,
}

/// Sections and seats with their places, in index order.
#[utoipa::path(
    get,
    path = "/events/{event_id}/seatmap",
    tag = "seat maps",
    params(("event_id" = String, Path, description = "Id or slug"), SeatMapQuery),
    responses(
        (status = 200, body = SeatMapView),
        (status = 304, description = "The caller has it"),
        PublicReadProblems
    )
)]
pub(super) async fn show_seat_map(
    State(desk): State<Desk>,
    State(catalogue): State<Catalogue>,
    State(maps): State<Arc<SeatMaps>>,
    event: PathName,
    StrictQuery(query): StrictQuery<SeatMapQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let map = maps.of(&catalogue, &event.listed, &event.terms()).await?;
    // Two sequences of bytes, two tags; either names the version.
    let gzip = wants_gzip(&headers);
    let etag = format!("\"{}{}\"", map.tag, if gzip { GZIP_SUFFIX } else { "" });
    let named = query.v.is_some_and(|v| {
        let v = v.trim_matches('"');
        v.strip_suffix(GZIP_SUFFIX).unwrap_or(v) == map.tag
    });
    let cached = [
        (ETAG, HeaderValue::try_from(&etag).expect("hexadecimal digits are a header value")),
        (CACHE_CONTROL, HeaderValue::from_static(if named { FOR_EVER } else { FOR_A_MINUTE })),
        (VARY, HeaderValue::from_static("accept-encoding")),
    ];
    let json = [(CONTENT_TYPE, "application/json")];
    Ok(if is_known(&headers, &etag) {
        (StatusCode::NOT_MODIFIED, cached).into_response()
    } else if gzip {
        (cached, json, [(CONTENT_ENCODING, "gzip")], map.gzip.clone()).into_response()
    } else {
        (cached, json, map.json.clone()).into_response()
    })
}

/// Compressed for whoever takes it, and does not rather have it plain.
fn wants_gzip(headers: &HeaderMap) -> bool {
    let plain = match wanted(headers, &ACCEPT_ENCODING, "identity") {
        Wanted::Named(weight) => weight,
        Wanted::Any(_) | Wanted::Unsaid => 0,
    };
    match wanted(headers, &ACCEPT_ENCODING, "gzip") {
        Wanted::Named(weight) | Wanted::Any(weight) => weight > 0 && weight >= plain,
        Wanted::Unsaid => false,
    }
}
