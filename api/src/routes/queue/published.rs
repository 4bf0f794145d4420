//! What everybody may know of a line: how far it is, and how its draw is checked.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::desk::{Desk, OWNER_WAIT_MAX};
use crate::draw::DrawProof;
use crate::problem::Problem;
use crate::problem::documented::PublicReadProblems;
use crate::proofs::Proofs;
use crate::routes::conditional::is_known;
use crate::routes::queue::starting;
use crate::strict::PathName;
use crate::views::{NowServingView, Told};
use crate::waiting_rooms::WaitingRooms;

const FOR_A_SECOND: HeaderValue = HeaderValue::from_static("public, max-age=1");
/// A proof of a draw that has been made never changes.
const FOR_A_MINUTE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// How far the line is, for everybody and for a second.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue/now-serving",
    tag = "waiting room",
    params(("event_id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = NowServingView), PublicReadProblems)
)]
pub(in crate::routes) async fn show_now_serving(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    event: PathName,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let room = rooms.of(&event).ok_or_else(Problem::not_found)?;
    let summary = &event.listed.summary;
    // A line that is not read yet is not shown as an empty one.
    let line = room.started(OWNER_WAIT_MAX).await.ok_or_else(starting)?;
    let now = event.handle.now();
    let opens_at = summary.sale.opens_at;
    let is_over = summary.sale.status(now).is_over();
    let told = Told { line: &line, admission: room.admission(), opens_at, is_over, now };
    let view = NowServingView::of(summary.id.uuid(), &told);
    Ok(([(CACHE_CONTROL, FOR_A_SECOND)], Json(view)).into_response())
}

/// What anybody needs to compute every position again.
#[utoipa::path(
    get,
    path = "/events/{event_id}/queue/proof",
    tag = "waiting room",
    params(("event_id" = String, Path, description = "Id or slug")),
    responses(
        (status = 200, body = DrawProof),
        (status = 304, description = "The caller has it"),
        PublicReadProblems
    )
)]
pub(in crate::routes) async fn show_proof(
    State(desk): State<Desk>,
    State(rooms): State<Arc<WaitingRooms>>,
    State(proofs): State<Arc<Proofs>>,
    event: PathName,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let event = desk.event(&event.reference()?).await?;
    let room = rooms.of(&event).ok_or_else(Problem::not_found)?;
    let line = room.started(OWNER_WAIT_MAX).await;
    let proof = proofs.of(event.id(), line.as_deref()).await?;
    let cached = [
        (ETAG, HeaderValue::try_from(&proof.etag).expect("hexadecimal digits are a header value")),
        (CACHE_CONTROL, if proof.is_final { FOR_A_MINUTE } else { FOR_A_SECOND }),
    ];
    if is_known(&headers, &proof.etag) {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    Ok((cached, [(CONTENT_TYPE, "application/json")], proof.body.clone()).into_response())
}
