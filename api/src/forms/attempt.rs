//! `POST /orders/{id}/payments`: how an order is to be paid.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// A provider's token is opaque to us; none known is near this long.
const PAYMENT_METHOD_BYTES_MAX: usize = 500;

/// How an order is to be paid.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OpenAttempt)]
pub struct AttemptForm {
    /// The provider's token, 1 to 500 visible ASCII characters. The simulated provider takes `sim_ok`
    /// (50 to 300 ms), `sim_slow` (3 s), `sim_decline`, `sim_timeout_ok` and `sim_timeout_decline`
    /// (decided, but the answer never comes), `sim_error_ok` (an error first), `sim_webhook_twice`,
    /// `sim_webhook_early` (before the answer), `sim_capture_fails_twice`, `sim_capture_refused` and
    /// `sim_challenge` (only once its `next_action.url` was answered).
    #[schema(example = "sim_ok", min_length = 1, max_length = 500, pattern = "^[!-~]+$")]
    payment_method: String,
}

impl RequestBody for AttemptForm {}

impl AttemptForm {
    /// The provider's token.
    ///
    /// # Errors
    /// `malformed-request`.
    pub fn check(self) -> Result<String, Problem> {
        let method = self.payment_method;
        let fits = (1..=PAYMENT_METHOD_BYTES_MAX).contains(&method.len())
            && method.bytes().all(|byte| byte.is_ascii_graphic());
        let mut errors = FormErrors::default();
        errors.require(fits, "/payment_method", "1 to 500 visible ASCII characters");
        errors.into_result()?;
        Ok(method)
    }
}
