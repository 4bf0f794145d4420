//! `POST /orders`, `POST /orders/{id}/payments`, `GET /orders`.

use serde::Deserialize;
use taquilla_persistence::orders::OrderPosition;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::number::{Limit, Whole};
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};
use crate::views::Cursor;

/// A provider's token is opaque to us; none known is near this long.
const PAYMENT_METHOD_BYTES_MAX: usize = 500;

/// Which hold is to be ordered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaceOrder)]
pub struct OrderForm {
    /// The caller's own.
    pub hold_id: Uuid,
}

/// How an order is to be paid.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OpenAttempt)]
pub struct AttemptForm {
    /// The provider's token, 1 to 500 visible ASCII characters.
    #[schema(example = "sim_ok", min_length = 1, max_length = 500, pattern = "^[!-~]+$")]
    payment_method: String,
}

/// Which of the caller's orders.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OrdersQuery {
    /// Only of this event.
    pub event_id: Option<Uuid>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor<OrderPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 100)]
    pub limit: Option<Limit>,
}

/// How long a read of an order may wait.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OrderQuery {
    /// Answers on the next change, or after so long; 0 to 30, 0 unless said.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 30)]
    pub wait_seconds: Option<Whole<0, 30>>,
}

impl RequestBody for OrderForm {}
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
