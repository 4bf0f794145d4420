//! `POST /admin/events/{id}/cancel`: an event that does not take place.

use serde::Deserialize;
use utoipa::ToSchema;

use super::text::{REASON_CHARS_MAX, check_prose};
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// Why the event does not take place.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CancelEvent)]
pub struct CancellationForm {
    /// For the trail and every refund: 1 to 1,000 characters.
    pub reason: String,
}

impl RequestBody for CancellationForm {}

impl CancellationForm {
    /// Whether there is a reason.
    ///
    /// # Errors
    /// `malformed-request`.
    pub fn check(&self) -> Result<(), Problem> {
        let mut errors = FormErrors::default();
        check_prose(&mut errors, "/reason", &self.reason, REASON_CHARS_MAX);
        let said = !self.reason.trim().is_empty();
        errors.require(said, "/reason", "a cancellation has a reason, which the trail keeps");
        errors.into_result()
    }
}
