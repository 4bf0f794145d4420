//! Capture, void and refund; and what the bank takes back.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use uuid::Uuid;

use super::input::{Body, Empty, Reference};
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::ledger::Movement;
use crate::simulated_provider::money::Amount;
use crate::simulated_provider::processor::{Processor, Reply};
use crate::simulated_provider::serving::Silence;

pub(super) async fn capture_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(Empty {}): Body<Empty>,
) -> Response {
    answered(processor.move_money(key, reference, Movement::Capture).await, StatusCode::OK)
}

pub(super) async fn void_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(Empty {}): Body<Empty>,
) -> Response {
    answered(processor.move_money(key, reference, Movement::Void).await, StatusCode::OK)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefundRequest {
    amount: Amount,
    refund_id: Uuid,
}

pub(super) async fn refund_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(RefundRequest { amount, refund_id }): Body<RefundRequest>,
) -> Response {
    let refund = Movement::Refund { amount, refund_id };
    answered(processor.move_money(key, reference, refund).await, StatusCode::OK)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChargebackRequest {
    amount: Amount,
}

pub(super) async fn charge_back(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(ChargebackRequest { amount }): Body<ChargebackRequest>,
) -> Response {
    let chargeback = Movement::Chargeback { amount };
    answered(processor.move_money(key, reference, chargeback).await, StatusCode::OK)
}

/// The answer of a POST, if it is to have one.
pub(super) fn answered(reply: Reply, success: StatusCode) -> Response {
    match reply {
        Reply::Answer(Ok(authorisation)) => (success, Json(authorisation)).into_response(),
        Reply::Answer(Err(refusal)) => refusal.into_response(),
        Reply::Silence => Silence.into_response(),
    }
}
