//! What gates without a network must not let in.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use taquilla_engine::id::{EventId, TicketId};
use taquilla_persistence::tickets::{Revocations, Tickets};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::desk::Desk;
use crate::forms::scan::{REVOCATIONS_MAX, RevocationsQuery};
use crate::instant::Instant;
use crate::problem::documented::OperatorReadProblems;
use crate::problem::{Problem, store_unavailable};
use crate::routes::conditional::{BINARY, is_known, wants_binary};
use crate::strict::{FormError, PathName, StrictQuery};
use crate::tickets::{TicketSigner, revocation_list};

/// A gate that kept one asks again whether it still holds.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("private, no-cache");

/// A page of the tickets of an event that let nobody in.
#[derive(Serialize, ToSchema)]
#[schema(as = Revocations)]
pub(crate) struct RevocationsView {
    event_id: Uuid,
    /// What was void by then is counted.
    as_of: Instant,
    /// How many are void in all.
    total: u64,
    /// In the order of their ids.
    tickets: Vec<Uuid>,
    /// For `after`; null on the last page.
    next_after: Option<Uuid>,
    /// The same page in the signed form, base64.
    signed: String,
}

/// The void tickets of an event, signed by the key of tickets. With `Accept: application/octet-stream`,
/// the signed form alone.
#[utoipa::path(
    get,
    path = "/admin/events/{event_id}/revocations",
    tag = "tickets",
    security(("bearer" = ["operator"])),
    params(("event_id" = String, Path, description = "Id or slug"), RevocationsQuery),
    responses(
        (status = 200, content(
            (RevocationsView = "application/json"),
            (Vec<u8> = "application/octet-stream"),
        )),
        (status = 304, description = "The caller has this page"),
        OperatorReadProblems
    )
)]
pub(crate) async fn list_revocations(
    State(desk): State<Desk>,
    State(tickets): State<Tickets>,
    State(signer): State<Arc<TicketSigner>>,
    event: PathName,
    StrictQuery(query): StrictQuery<RevocationsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = query.after.as_deref().map(ticket_id).transpose()?;
    let limit = query.limit.map_or(REVOCATIONS_MAX, |limit| {
        u16::try_from(limit.0).expect("a page has ten thousand at most")
    });
    let event = desk.event(&event.reference()?).await?.id();
    let page = tickets.revocations(event.event(), after, limit).await;
    let page = page.map_err(|error| store_unavailable(&error))?;
    let binary = wants_binary(&headers);
    let tag = tag(after, &page, &signer, binary);
    let etag = HeaderValue::try_from(format!("W/{tag}")).expect("hexadecimal digits");
    let cached =
        [(ETAG, etag), (CACHE_CONTROL, ASK_AGAIN), (VARY, HeaderValue::from_static("accept"))];
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let signed = revocation_list(event, after, &page, &signer);
    Ok(if binary {
        (cached, [(CONTENT_TYPE, BINARY)], signed).into_response()
    } else {
        (cached, Json(view(event, page, &signed))).into_response()
    })
}

fn ticket_id(text: &str) -> Result<TicketId, Problem> {
    let id = Uuid::parse_str(text).ok().and_then(TicketId::parse);
    id.ok_or_else(|| FormError::at("?after", "the `next_after` of a page of this list").into())
}

/// Of all but the time of reading. Weak, since that is in the answer too.
fn tag(after: Option<TicketId>, read: &Revocations, signer: &TicketSigner, binary: bool) -> String {
    let mut hash = Sha256::new();
    hash.update([u8::from(binary), u8::from(read.page.next.is_some())]);
    hash.update(signer.key_id());
    hash.update(read.total.to_be_bytes());
    for ticket in after.iter().chain(&read.page.items) {
        hash.update(ticket.uuid().as_bytes());
    }
    format!("\"{}\"", hex::encode(&hash.finalize()[..16]))
}

fn view(event: EventId, read: Revocations, signed: &[u8]) -> RevocationsView {
    RevocationsView {
        event_id: event.uuid(),
        as_of: Instant(read.as_of),
        total: read.total,
        tickets: read.page.items.into_iter().map(TicketId::uuid).collect(),
        next_after: read.page.next.map(TicketId::uuid),
        signed: STANDARD.encode(signed),
    }
}
