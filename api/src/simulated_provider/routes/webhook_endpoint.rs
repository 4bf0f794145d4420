//! Where webhooks go. It is set, and never shown: it has a secret.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::input::Body;
use crate::simulated_provider::processor::Processor;
use crate::simulated_provider::refusal::Refusal;
use crate::simulated_provider::webhooks::Endpoint;

pub(super) async fn set_webhook_endpoint(
    State(processor): State<Arc<Processor>>,
    Body(endpoint): Body<Endpoint>,
) -> Result<StatusCode, Refusal> {
    processor.set_endpoint(endpoint).await?;
    Ok(StatusCode::NO_CONTENT)
}
