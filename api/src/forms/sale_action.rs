//! `POST /admin/events/{id}/sale`: the sale opened, paused, resumed, closed.

use serde::{Deserialize, Serialize};
use taquilla_engine::operation::{EventChange, SaleAction};
use utoipa::ToSchema;

use super::text::check_reason;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// What becomes of the sale.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeSale)]
pub struct SaleActionForm {
    /// What.
    pub action: SaleActionName,
    /// For the trail.
    #[serde(default)]
    pub reason: String,
}

/// What an operator does to the sale as a whole.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SaleAction)]
pub enum SaleActionName {
    /// It opens now.
    Open,
    /// No hold, order or payment begins until it is resumed.
    Pause,
    /// Ends a pause.
    Resume,
    /// It closes now.
    Close,
}

impl RequestBody for SaleActionForm {}

impl SaleActionForm {
    /// What is to be done.
    ///
    /// # Errors
    /// `malformed-request`.
    pub fn check(&self) -> Result<EventChange, Problem> {
        let mut errors = FormErrors::default();
        check_reason(&mut errors, &self.reason, None);
        errors.into_result()?;
        Ok(EventChange::Sale(match self.action {
            SaleActionName::Open => SaleAction::Open,
            SaleActionName::Pause => SaleAction::Pause,
            SaleActionName::Resume => SaleAction::Resume,
            SaleActionName::Close => SaleAction::Close,
        }))
    }
}
