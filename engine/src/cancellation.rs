//! Events that do not take place. That one is cancelled is an operator's word at its door; what is left
//! to be given back then is in rows: orders with tickets in force. So whoever carries a cancellation on
//! needs to know nothing of how far it had come.

use crate::id::{EventNumber, OrderId};
use crate::later::Later;
use crate::refund::SoldOrder;

/// An event that does not take place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelledEvent {
    /// Which.
    pub event: EventNumber,
    /// The operator who said so first.
    pub who: Box<str>,
    /// In his words.
    pub reason: Box<str>,
}

/// Rows could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what is left of a cancellation cannot be read: {0}")]
pub struct LeftUnknown(pub String);

/// What rows say of cancellations.
pub trait LeftToGiveBack: Send + Sync + 'static {
    /// All cancelled events, done with or not.
    fn cancelled(&self) -> Later<'_, Result<Vec<CancelledEvent>, LeftUnknown>>;

    /// Sold orders of the event of which tickets are in force, in the order of their ids: so many at the
    /// most, behind this one.
    fn in_force(
        &self,
        event: EventNumber,
        after: Option<OrderId>,
        max: u16,
    ) -> Later<'_, Result<Vec<SoldOrder>, LeftUnknown>>;
}
