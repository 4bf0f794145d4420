//! The public keys of ticket codes, for scanners.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::IntoResponse;

use crate::problem::documented::PublicConstantProblems;
use crate::tickets::TicketSigner;

/// A JWK set (RFC 7517). Ticket codes are JWS signed with Ed25519; each names its key by `kid`.
#[utoipa::path(
    get,
    path = "/.well-known/taquilla-ticket-keys.json",
    tag = "tickets",
    responses((status = 200, description = "A JWK set", body = Object), PublicConstantProblems)
)]
pub(super) async fn show_ticket_keys(
    State(signer): State<Arc<TicketSigner>>,
) -> impl IntoResponse + use<> {
    ([(CACHE_CONTROL, "public, max-age=300")], Json(signer.public_keys().clone()))
}
