//! An order as its buyer sees it.

use serde::Serialize;
use taquilla_persistence::orders::OrderRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AttemptView, BillView, MoneyView, TicketView};
use crate::instant::Instant;
use crate::tickets::TicketSigner;

/// A promise to pay for a hold, and what became of it.
#[derive(Serialize, ToSchema)]
#[schema(as = Order)]
pub struct OrderView {
    /// Its id.
    pub order_id: Uuid,
    /// `pending_payment`, `authorizing`, `verifying`, `confirmed`, `captured`, `declined`, `expired`,
    /// `cancelled`, `voided`, `refunded` or `capture_failed`.
    #[schema(example = "pending_payment")]
    pub status: &'static str,
    /// What it pays for.
    pub hold_id: Uuid,
    /// Of which event.
    pub event_id: Uuid,
    /// What is bought and what it costs.
    #[serde(flatten)]
    pub bill: BillView,
    /// What has been paid back, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refunded: Option<MoneyView>,
    /// When it was made.
    pub created_at: Instant,
    /// When its hold ends.
    pub pay_before: Instant,
    /// Oldest first.
    pub attempts: Vec<AttemptView>,
    /// None before confirmation.
    pub tickets: Vec<TicketView>,
    /// The server's time.
    pub as_of: Instant,
}

impl OrderView {
    /// The order, its tickets signed.
    #[must_use]
    pub fn of(order: OrderRecord, signer: &TicketSigner) -> Self {
        let event = order.event;
        let ticket = |ticket| TicketView::of(ticket, event, signer);
        Self {
            order_id: order.id.uuid(),
            status: order.status.code(),
            hold_id: order.hold.uuid(),
            event_id: event.uuid(),
            bill: order.bill.into(),
            refunded: order.refunded.map(MoneyView::from),
            created_at: Instant(order.created_at),
            pay_before: Instant(order.pay_before),
            attempts: order.attempts.into_iter().map(AttemptView::from).collect(),
            tickets: order.tickets.into_iter().map(ticket).collect(),
            as_of: Instant(order.as_of),
        }
    }
}

/// An order as operators see it.
#[derive(Serialize, ToSchema)]
#[schema(as = BuyersOrder)]
pub struct BuyersOrderView {
    /// Whose it is.
    pub buyer: String,
    /// As its buyer sees it.
    #[serde(flatten)]
    pub order: OrderView,
}

impl BuyersOrderView {
    /// The order, its tickets signed.
    #[must_use]
    pub fn of(order: OrderRecord, signer: &TicketSigner) -> Self {
        Self { buyer: order.buyer.as_str().to_owned(), order: OrderView::of(order, signer) }
    }
}
