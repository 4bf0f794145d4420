//! Making an authorisation, and finding it again.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::input::{Body, Reference};
use crate::simulated_provider::authorisation::{Authorisation, AuthorisationRequest};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::money::{Amount, Currency};
use crate::simulated_provider::processor::Processor;
use crate::simulated_provider::refusal::Refusal;

pub(super) async fn create_authorisation(
    State(processor): State<Arc<Processor>>,
    key: IdempotencyKey,
    Body(request): Body<AuthorisationRequest>,
) -> Result<(StatusCode, Json<Authorisation>), Refusal> {
    let authorisation = processor.authorise(key, request).await?;
    Ok((StatusCode::CREATED, Json(authorisation)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ByKey {
    idempotency_key: IdempotencyKey,
}

/// What a key can find. All fields of both are the same.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Found {
    Booked(Authorisation),
    InWork(PendingAuthorisation),
}

#[derive(Serialize)]
pub(super) struct PendingAuthorisation {
    /// Always null: a reference is given when the authorisation is booked.
    reference: Option<Uuid>,
    status: &'static str,
    failure: Option<&'static str>,
    order_id: Uuid,
    attempt_id: Uuid,
    amount: Amount,
    currency: Currency,
    captured: bool,
    voided: bool,
    refunded_amount: u64,
}

pub(super) async fn find_authorisation(
    State(processor): State<Arc<Processor>>,
    query: Result<Query<ByKey>, QueryRejection>,
) -> Result<Json<Found>, Refusal> {
    let Query(ByKey { idempotency_key: key }) =
        query.map_err(|rejection| Refusal::Malformed(rejection.body_text()))?;
    // The work is looked at before the books: what leaves it in between is in the books by then.
    let in_work = processor.in_work(&key);
    match (processor.books.find_by_key(key).await?, in_work) {
        (Some(authorisation), _) => Ok(Json(Found::Booked(authorisation))),
        (None, Some(request)) => Ok(Json(Found::InWork(PendingAuthorisation::of(request)))),
        (None, None) => Err(Refusal::NotFound),
    }
}

pub(super) async fn show_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
) -> Result<Json<Authorisation>, Refusal> {
    processor.books.find_by_reference(reference).await.map(Json)
}

impl PendingAuthorisation {
    fn of(request: AuthorisationRequest) -> Self {
        Self {
            reference: None,
            status: "pending",
            failure: None,
            order_id: request.order_id,
            attempt_id: request.attempt_id,
            amount: request.amount,
            currency: request.currency,
            captured: false,
            voided: false,
            refunded_amount: 0,
        }
    }
}
