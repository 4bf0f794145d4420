//! A hold as its buyer sees it.

use serde::Serialize;
use serde_json::Value;
use taquilla_engine::event::Terms;
use taquilla_engine::hold::{Hold, HoldStatus};
use taquilla_engine::id::EventId;
use taquilla_engine::moment::Moment;
use taquilla_persistence::orders::HoldRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{BillView, Instant, bill_of, seconds_until};

/// Seats that are nobody else's until it ends.
#[derive(Serialize, ToSchema)]
#[schema(as = Hold)]
pub struct HoldView {
    /// Its id.
    pub hold_id: Uuid,
    /// Of which event.
    pub event_id: Uuid,
    /// `active`, `released`, `expired` or `converted`.
    #[schema(example = "active")]
    pub status: &'static str,
    /// Its order, once there is one.
    pub order_id: Option<Uuid>,
    /// What it takes and costs.
    #[serde(flatten)]
    pub bill: BillView,
    /// What was asked for and could not be had; empty, since holds are all or nothing.
    #[schema(value_type = Vec<String>)]
    pub declined: Vec<Value>,
    /// When it began.
    pub created_at: Instant,
    /// From here on it is over.
    pub expires_at: Instant,
    /// Until then; 0 once it is over or sold.
    pub expires_in_seconds: u64,
    /// The server's time.
    pub as_of: Instant,
}

impl HoldView {
    /// As the engine knows it.
    #[must_use]
    pub fn of(hold: &Hold, event: EventId, terms: &Terms, as_of: Moment) -> Self {
        Self::from(HoldRecord {
            id: hold.id,
            event,
            buyer: hold.buyer.clone(),
            status: hold.status_at(as_of),
            order: hold.order,
            bill: bill_of(hold, terms),
            created_at: hold.created_at,
            expires_at: hold.expires_at,
            as_of,
        })
    }
}

impl From<HoldRecord> for HoldView {
    fn from(hold: HoldRecord) -> Self {
        let left = match hold.status {
            HoldStatus::Active => seconds_until(hold.expires_at, hold.as_of),
            HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted => 0,
        };
        Self {
            hold_id: hold.id.uuid(),
            event_id: hold.event.uuid(),
            status: hold.status.code(),
            order_id: hold.order.map(|order| order.uuid()),
            bill: hold.bill.into(),
            declined: Vec::new(),
            created_at: Instant(hold.created_at),
            expires_at: Instant(hold.expires_at),
            expires_in_seconds: left,
            as_of: Instant(hold.as_of),
        }
    }
}
