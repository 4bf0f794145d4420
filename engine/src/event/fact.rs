//! Facts: single changes of rows, in the order in which they were decided. A batch writes their net
//! effect and keeps the telling ones as the event's history.

use super::terms::Amendment;
use crate::buyer::BuyerId;
use crate::hold::{Claim, Fingerprint, Hold, HoldStatus};
use crate::id::{AttemptId, HoldId, OrderId, ReceiptId, SeatIndex, SectionIndex, TicketId};
use crate::moment::Moment;
use crate::operation::{Deed, Listing};
use crate::order::{Order, OrderStatus, Verdict};
use crate::refund::Refund;
use crate::section::SeatState;

/// How many places of a general section are held and sold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// By holds, overdue ones included until they are written.
    pub held: u32,
    /// For good.
    pub sold: u32,
}

/// A ticket as issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Derived from the order and the ticket's place in it.
    pub id: TicketId,
    /// The order that bought it.
    pub order: OrderId,
    /// Its section.
    pub section: SectionIndex,
    /// Its seat, where the section has seats.
    pub seat: Option<SeatIndex>,
}

/// What a key of `POST /orders` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptResult {
    /// This order.
    Order {
        /// Which.
        order: OrderId,
        /// Made by this very request.
        created: bool,
    },
    /// There was no order, and the hold was this already.
    HoldNotActive(HoldStatus),
}

/// A remembered result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Hash of buyer, operation and key.
    pub id: ReceiptId,
    /// Of the request.
    pub fingerprint: Fingerprint,
    /// Its result.
    pub result: ReceiptResult,
    /// When it was decided.
    pub at: Moment,
}

/// One change of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A seat has another owner.
    Seat {
        /// Which.
        seat: SeatIndex,
        /// What memory believed.
        was: SeatState,
        /// What it is now.
        becomes: SeatState,
    },
    /// A general section's counts moved.
    Places {
        /// Which.
        section: SectionIndex,
        /// What memory believed.
        was: Places,
        /// What they are now.
        becomes: Places,
    },
    /// A buyer holds and owns another number of seats.
    Buyer {
        /// Who.
        buyer: BuyerId,
        /// What memory believed.
        was: u32,
        /// What it is now.
        becomes: u32,
    },
    /// A hold began.
    HoldPlaced(Hold),
    /// An active hold gave a part of what it took back.
    HoldReduced {
        /// The hold as it is now.
        hold: Hold,
        /// What it has no longer.
        part: Claim,
        /// When.
        at: Moment,
    },
    /// An active hold ended.
    HoldEnded {
        /// Which.
        hold: HoldId,
        /// How.
        status: HoldStatus,
        /// When.
        at: Moment,
    },
    /// An active hold lives longer.
    HoldExtended {
        /// Which.
        hold: HoldId,
        /// The attempt of its order that is being verified.
        attempt: AttemptId,
        /// When it would have been over.
        was: Moment,
        /// When it is over.
        expires_at: Moment,
        /// When that was decided.
        at: Moment,
    },
    /// An order was made, open or, with nothing to pay, confirmed at once.
    OrderPlaced(Order),
    /// An open order came to its end.
    OrderEnded {
        /// Which.
        order: OrderId,
        /// How.
        status: OrderStatus,
        /// When.
        at: Moment,
    },
    /// A ticket was issued.
    TicketIssued(Ticket),
    /// An authorised attempt was decided.
    AttemptDecided {
        /// Which.
        attempt: AttemptId,
        /// Of which order.
        order: OrderId,
        /// What becomes of it.
        verdict: Verdict,
    },
    /// Tickets came back.
    TicketsReturned {
        /// Which, and what is owed for them.
        refund: Refund,
        /// What they were for.
        part: Claim,
    },
    /// A key has a result.
    Remembered(Receipt),
    /// Free seats were taken off sale.
    SeatsBlocked {
        /// Which.
        seats: Vec<SeatIndex>,
        /// When.
        at: Moment,
    },
    /// Blocked seats were put back on sale.
    SeatsUnblocked {
        /// Which.
        seats: Vec<SeatIndex>,
        /// When.
        at: Moment,
    },
    /// A general section has room for another number of people.
    CapacitySet {
        /// Which.
        section: SectionIndex,
        /// What memory believed.
        was: u32,
        /// What it is now.
        becomes: u32,
        /// When.
        at: Moment,
    },
    /// The event has other terms, or its page says something else. Capacities are not among them:
    /// they have facts of their own.
    TermsAmended {
        /// The terms that are other ones.
        amendment: Box<Amendment>,
        /// What the page says now.
        listing: Box<Listing>,
        /// When.
        at: Moment,
    },
    /// An operator did what stands before this.
    Operated {
        /// The trail's row.
        deed: Deed,
        /// When.
        at: Moment,
    },
}

impl Fact {
    /// The order that the fact is about, if it is about one that buyers watch.
    #[must_use]
    pub fn order(&self) -> Option<OrderId> {
        match self {
            Self::OrderPlaced(order) => Some(order.id),
            Self::OrderEnded { order, .. } | Self::AttemptDecided { order, .. } => Some(*order),
            Self::TicketsReturned { refund, .. } => Some(refund.order),
            Self::HoldExtended { hold, .. } => Some(OrderId::of(*hold)),
            Self::Seat { .. }
            | Self::Places { .. }
            | Self::Buyer { .. }
            | Self::HoldPlaced(_)
            | Self::HoldReduced { .. }
            | Self::HoldEnded { .. }
            | Self::TicketIssued(_)
            | Self::Remembered(_)
            | Self::SeatsBlocked { .. }
            | Self::SeatsUnblocked { .. }
            | Self::CapacitySet { .. }
            | Self::TermsAmended { .. }
            | Self::Operated { .. } => None,
        }
    }

    /// Whether the fact belongs in the event's history. Seats, places and counts follow from holds.
    #[must_use]
    pub fn is_history(&self) -> bool {
        match self {
            Self::Seat { .. } | Self::Places { .. } | Self::Buyer { .. } | Self::Remembered(_) => {
                false
            }
            Self::HoldPlaced(_)
            | Self::HoldReduced { .. }
            | Self::HoldEnded { .. }
            | Self::HoldExtended { .. }
            | Self::OrderPlaced(_)
            | Self::OrderEnded { .. }
            | Self::TicketIssued(_)
            | Self::AttemptDecided { .. }
            | Self::TicketsReturned { .. }
            | Self::SeatsBlocked { .. }
            | Self::SeatsUnblocked { .. }
            | Self::CapacitySet { .. }
            | Self::TermsAmended { .. }
            | Self::Operated { .. } => true,
        }
    }
}
