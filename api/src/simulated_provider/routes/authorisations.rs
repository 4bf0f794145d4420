//! Making an authorisation, and finding it again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use uuid::Uuid;

use super::input::{Body, Reference};
use super::movements::answered;
use super::question::Question;
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::money::{Amount, Currency};
use crate::simulated_provider::processor::Processor;
use crate::simulated_provider::refusal::Refusal;

pub(super) async fn create_authorisation(
    State(processor): State<Arc<Processor>>,
    key: IdempotencyKey,
    Body(request): Body<AuthorisationRequest>,
) -> Response {
    answered(processor.authorise(key, request).await, StatusCode::CREATED)
}

/// An authorisation that is in work, as one that is booked, with what it has not come to yet.
#[derive(Serialize)]
struct Pending {
    /// Always null: a reference is given when the authorisation is booked.
    reference: Option<Uuid>,
    status: &'static str,
    order_id: Uuid,
    attempt_id: Uuid,
    amount: Amount,
    currency: Currency,
}

#[derive(Serialize)]
struct Items {
    items: Vec<Authorisation>,
    next_cursor: Option<String>,
}

pub(super) async fn find_authorisations(
    State(processor): State<Arc<Processor>>,
    question: Question,
) -> Result<Response, Refusal> {
    // The work is looked at before the books: what leaves it in between is in the books by then.
    let (in_work, booked) = match question {
        Question::Key(key) => (processor.in_work(&key), processor.books.find_by_key(key).await?),
        Question::Attempt(id) => {
            (processor.attempt_in_work(id), processor.books.find_by_attempt(id).await?)
        }
        Question::All { skipped, limit } => {
            let page = processor.books.list(skipped, limit).await?;
            let next = skipped + page.items.len();
            let next_cursor = page.has_more.then(|| next.to_string());
            return Ok(Json(Items { items: page.items, next_cursor }).into_response());
        }
    };
    match (booked, in_work) {
        (Some(authorisation), _) => Ok(Json(authorisation).into_response()),
        (None, Some(request)) => Ok(Json(Pending::of(request)).into_response()),
        (None, None) => Err(Refusal::NotFound),
    }
}

pub(super) async fn show_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
) -> Result<Json<Authorisation>, Refusal> {
    processor.books.find_by_reference(reference).await.map(Json)
}

impl Pending {
    fn of(request: AuthorisationRequest) -> Self {
        Self {
            reference: None,
            status: "pending",
            order_id: request.order_id,
            attempt_id: request.attempt_id,
            amount: request.amount,
            currency: request.currency,
        }
    }
}
