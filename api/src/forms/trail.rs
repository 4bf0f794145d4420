//! `GET /admin/actions` and `GET /admin/orders`: which ones.

use serde::Deserialize;
use taquilla_engine::buyer::BuyerId;
use taquilla_persistence::operator_action::ActionPosition;
use taquilla_persistence::orders::{OrderFilter, OrderPosition, PublicStatus};
use utoipa::IntoParams;

use super::number::Limit;
use crate::cursor::Cursor;
use crate::problem::Problem;
use crate::strict::FormErrors;

/// Which of the operators' actions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ActionsQuery {
    /// Only what was done to this event: its id or slug.
    pub event_id: Option<String>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor<ActionPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>)]
    pub limit: Option<Limit>,
}

/// Which of all orders.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AllOrdersQuery {
    /// Only of this event: its id or slug.
    pub event_id: Option<String>,
    /// Only this buyer's.
    buyer: Option<String>,
    /// Only in this status.
    status: Option<String>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor<OrderPosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>)]
    pub limit: Option<Limit>,
}

impl AllOrdersQuery {
    /// The filter, of all events; which one is asked for, the form cannot tell.
    ///
    /// # Errors
    /// `malformed-request`, for what can be no buyer or is no status.
    pub fn check(&self) -> Result<OrderFilter, Problem> {
        let mut errors = FormErrors::default();
        let buyer = self.buyer.as_deref().map(BuyerId::parse);
        errors.require(buyer != Some(None), "?buyer", "no buyer can be called so");
        let named = |name: &str| PublicStatus::ALL.into_iter().find(|it| it.code() == name);
        let status = self.status.as_deref().map(named);
        let known: Vec<&str> = PublicStatus::ALL.into_iter().map(PublicStatus::code).collect();
        let detail = format!("one of {}", known.join(", "));
        errors.require(status != Some(None), "?status", &detail);
        errors.into_result()?;
        Ok(OrderFilter { buyer: buyer.flatten(), event: None, status: status.flatten() })
    }
}
