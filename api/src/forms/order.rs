//! `POST /orders`, and reads of orders.

use serde::Deserialize;
use taquilla_persistence::orders::OrderPosition;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::id;
use super::number::{Limit, Whole};
use crate::cursor::Cursor;
use crate::strict::RequestBody;

/// Which hold is to be ordered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaceOrder)]
pub struct OrderForm {
    /// The caller's own.
    pub hold_id: Uuid,
}

/// Which of the caller's orders.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OrdersQuery {
    /// Only of this event: its id, not its slug.
    #[serde(default, deserialize_with = "id::of_any_event")]
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
