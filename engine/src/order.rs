//! An order: a buyer's promise to pay for a hold, and what became of it. How far its money has come
//! is told by its payment attempts, not here.

use crate::buyer::BuyerId;
use crate::id::{AttemptId, HoldId, OrderId, TicketId};
use crate::moment::Moment;
use crate::refund::Refund;

/// The part of an order's state that only the lane writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OrderStatus {
    /// Waits for a payment.
    Open,
    /// Its seats are sold.
    Confirmed,
    /// The buyer gave it up.
    Cancelled,
    /// Its hold ended first.
    Expired,
}

/// What was decided about an authorised payment attempt. Never changes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The seats are the buyer's: capture.
    Confirmed,
    /// They are not: give the money back.
    VoidDue,
}

/// An order as decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Derived from its hold.
    pub id: OrderId,
    /// The hold that it pays for.
    pub hold: HoldId,
    /// Whose it is.
    pub buyer: BuyerId,
    /// As last decided.
    pub status: OrderStatus,
    /// Minor units of the event's currency.
    pub total: i64,
    /// The instant of the decision.
    pub created_at: Moment,
    /// What was decided about each authorised attempt; few, since attempts an order are bounded.
    pub verdicts: Vec<(AttemptId, Verdict)>,
    /// Tickets that came back, in the order in which they did. An order without any is still confirmed.
    pub refunds: Vec<Refund>,
}

impl Order {
    /// Whether this ticket has come back.
    #[must_use]
    pub fn is_void(&self, ticket: TicketId) -> bool {
        self.refunds.iter().any(|refund| refund.tickets.contains(&ticket))
    }

    /// What was decided about this attempt, if anything was.
    #[must_use]
    pub fn verdict(&self, attempt: AttemptId) -> Option<Verdict> {
        self.verdicts.iter().find(|(id, _)| *id == attempt).map(|(_, verdict)| *verdict)
    }
}
