//! The address that a buyer's token names, kept when he orders.
//!
//! In front of the order: a free one has its tickets at once, and whoever sends them must find where to.
//! A token is asked each time, so what is kept is what the buyer's identity provider said last.

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use taquilla_persistence::mail::Contacts;

use crate::auth::Caller;

/// Keeps the caller's address if he orders, has one, and mail is on. An order does not fail because of
/// it: its tickets can be had without mail.
pub(crate) async fn keep_contact(
    State(contacts): State<Option<Contacts>>,
    request: Request,
    next: Next,
) -> Response {
    let orders = request.method() == Method::POST && request.uri().path() == "/orders";
    if orders
        && let Some(contacts) = contacts
        && let Some(Caller { buyer, email: Some(email), .. }) = request.extensions().get::<Caller>()
        && let Err(error) = contacts.keep(buyer, email).await
    {
        tracing::warn!(%error, "a buyer's address could not be kept");
    }
    next.run(request).await
}
