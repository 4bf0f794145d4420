//! `GET /admin/outbox/{sink}/deliveries`: which ones.

use serde::Deserialize;
use taquilla_persistence::deliveries::{DeliveryOutcome, DeliveryPosition};
use utoipa::IntoParams;

use super::number::Limit;
use crate::cursor::Cursor;
use crate::problem::Problem;
use crate::strict::FormErrors;

/// Which deliveries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeliveriesQuery {
    /// Only those that are `pending`, `delivered` or `parked`.
    outcome: Option<String>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor<DeliveryPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>)]
    pub limit: Option<Limit>,
}

impl DeliveriesQuery {
    /// The outcome that is asked for, if one is.
    ///
    /// # Errors
    /// `malformed-request`, for what is none.
    pub fn outcome(&self) -> Result<Option<DeliveryOutcome>, Problem> {
        let outcome = self.outcome.as_deref().map(DeliveryOutcome::parse);
        let mut errors = FormErrors::default();
        let known = "one of pending, delivered, parked";
        errors.require(outcome != Some(None), "?outcome", known);
        errors.into_result()?;
        Ok(outcome.flatten())
    }
}
