//! `POST /admin/purchases`: all purchases of the site stopped, or going on.

use serde::Deserialize;
use utoipa::ToSchema;

use super::text::check_reason;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// What becomes of all purchases.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangePurchases)]
pub struct PurchasesForm {
    action: PurchasesAction,
    /// Of a pause, what buyers are told: 1 to 1,000 characters. Of its end, for the trail.
    #[serde(default)]
    reason: String,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum PurchasesAction {
    /// Nothing is bought until they are resumed.
    Pause,
    /// They go on.
    Resume,
}

/// A change that makes sense.
pub struct PurchasesChange {
    /// Why all purchases stop; none: they go on.
    pub paused: Option<String>,
    /// For the trail.
    pub reason: String,
}

impl RequestBody for PurchasesForm {}

impl PurchasesForm {
    /// What is to be done.
    ///
    /// # Errors
    /// `malformed-request`, for a pause without a reason.
    pub fn check(self) -> Result<PurchasesChange, Problem> {
        let mut errors = FormErrors::default();
        let (needed, paused) = match self.action {
            PurchasesAction::Pause => {
                (Some("a pause has a reason, which buyers are told"), Some(self.reason.clone()))
            }
            PurchasesAction::Resume => (None, None),
        };
        check_reason(&mut errors, &self.reason, needed);
        errors.into_result()?;
        Ok(PurchasesChange { paused, reason: self.reason })
    }
}
