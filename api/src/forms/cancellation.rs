//! `POST /admin/events/{id}/cancel`: an event that does not take place.

use serde::Deserialize;
use utoipa::ToSchema;

use super::text::check_reason;
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
        let needed = "a cancellation has a reason, which the trail keeps";
        check_reason(&mut errors, &self.reason, Some(needed));
        errors.into_result()
    }
}
