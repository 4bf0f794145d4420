//! Tickets that came back, as operators see them.

use serde::Serialize;
use taquilla_engine::money::Money;
use taquilla_persistence::orders::{RefundRecord, RefundStatus};
use utoipa::ToSchema;
use uuid::Uuid;

use super::MoneyView;
use crate::instant::Instant;

/// Tickets that are void, and what is owed for them.
#[derive(Serialize, ToSchema)]
#[schema(as = Refund)]
pub struct RefundView {
    refund_id: Uuid,
    order_id: Uuid,
    /// `pending` while money is owed, `settled` when nothing is left to do.
    #[schema(example = "pending")]
    status: &'static str,
    /// The tickets' prices and their share of the fees; 0 once it turned out that nothing is owed for them.
    amount: MoneyView,
    /// Which came back.
    tickets: Vec<Uuid>,
    created_at: Instant,
}

impl From<RefundRecord> for RefundView {
    fn from(refund: RefundRecord) -> Self {
        Self {
            refund_id: refund.id.uuid(),
            order_id: refund.order.uuid(),
            status: refund.status.shown(),
            amount: given_back(&refund).into(),
            tickets: refund.tickets.iter().map(|ticket| ticket.uuid()).collect(),
            created_at: Instant(refund.created_at),
        }
    }
}

/// Of what was never taken, or what a bank took back first, nothing is given back.
fn given_back(refund: &RefundRecord) -> Money {
    match refund.status {
        RefundStatus::Due | RefundStatus::Settled => refund.money,
        RefundStatus::None => Money { amount: 0, ..refund.money },
    }
}
