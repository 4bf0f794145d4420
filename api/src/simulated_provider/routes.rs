//! The paths, on one screen.

mod authorisations;
mod books;
mod challenges;
mod input;
mod movements;
mod question;
mod webhook_endpoint;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use tokio::sync::Semaphore;

use super::processor::Processor;
use super::refusal::Refusal;

/// No request needs a tenth of it.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// Requests in flight at a time: all authorisations that can be in work, and as much again.
const IN_FLIGHT_MAX: usize = 8_192;

/// The provider's HTTP interface, as the module's documentation lists it.
pub fn router(processor: Arc<Processor>) -> Router {
    let in_flight = Arc::new(Semaphore::new(IN_FLIGHT_MAX));
    Router::new()
        .route(
            "/authorisations",
            post(authorisations::create_authorisation).get(authorisations::find_authorisations),
        )
        .route("/authorisations/{reference}", get(authorisations::show_authorisation))
        .route("/authorisations/{reference}/capture", post(movements::capture_authorisation))
        .route("/authorisations/{reference}/void", post(movements::void_authorisation))
        .route("/authorisations/{reference}/refund", post(movements::refund_authorisation))
        .route("/authorisations/{reference}/chargeback", post(movements::charge_back))
        .route(
            "/challenges/{reference}",
            get(challenges::answer_challenge).post(challenges::answer_challenge),
        )
        .route("/webhook-endpoint", put(webhook_endpoint::set_webhook_endpoint))
        .route("/books", get(books::list_entries))
        .route("/healthz", get(books::show_health))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(in_flight, bound_in_flight))
        .with_state(processor)
}

async fn bound_in_flight(
    State(in_flight): State<Arc<Semaphore>>,
    request: Request,
    next: Next,
) -> Response {
    match in_flight.try_acquire() {
        Ok(_permit) => next.run(request).await,
        Err(_) => Refusal::Overloaded.into_response(),
    }
}
