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
    /// The provider's token, 1 to 500 visible ASCII characters.
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
