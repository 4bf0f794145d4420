//! Capture, void and refund.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use uuid::Uuid;

use super::input::{Body, Empty, Reference};
use crate::simulated_provider::authorisation::Authorisation;
use crate::simulated_provider::idempotency_key::IdempotencyKey;
use crate::simulated_provider::ledger::{Command, Movement};
use crate::simulated_provider::money::Amount;
use crate::simulated_provider::processor::Processor;
use crate::simulated_provider::refusal::Refusal;

type Answer = Result<Json<Authorisation>, Refusal>;

pub(super) async fn capture_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(Empty {}): Body<Empty>,
) -> Answer {
    post_movement(&processor, key, reference, Movement::Capture).await
}

pub(super) async fn void_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(Empty {}): Body<Empty>,
) -> Answer {
    post_movement(&processor, key, reference, Movement::Void).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefundRequest {
    amount: Amount,
}

pub(super) async fn refund_authorisation(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    key: IdempotencyKey,
    Body(RefundRequest { amount }): Body<RefundRequest>,
) -> Answer {
    post_movement(&processor, key, reference, Movement::Refund(amount)).await
}

async fn post_movement(
    processor: &Processor,
    key: IdempotencyKey,
    reference: Uuid,
    movement: Movement,
) -> Answer {
    processor.books.post(Command::Move { key, reference, movement }).await.map(Json)
}
