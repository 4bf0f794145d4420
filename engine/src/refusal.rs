//! Refusals: decided answers that say no. Variants stand in order of precedence: when several
//! apply, the first is the answer. That something is not there comes first, whether it is a hold or what
//! the hold was said to have.

use std::sync::Arc;
use std::time::Duration;

use crate::hold::HoldStatus;
use crate::id::{SeatIndex, SectionIndex, TicketId};
use crate::moment::Moment;
use crate::sale::SaleStatus;

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No such thing, or it is another buyer's: never told apart.
    NotFound,
    /// The key was used for another request.
    KeyReused,
    /// The event has no such seats or sections.
    UnknownSeats(Vec<String>),
    /// More is to be given back than the hold has of this general section.
    PartTooLarge {
        /// Where.
        section: SectionIndex,
        /// How many places the hold has there.
        has: u32,
    },
    /// The order has no such tickets.
    UnknownTickets(Vec<TicketId>),
    /// These new terms make no sense as things stand.
    TermsInvalid(Vec<TermsDefect>),
    /// An operator has stopped all purchases of the site, for this reason.
    PurchasesPaused(Arc<str>),
    /// The sale takes no holds now.
    SaleNotOpen {
        /// When it opens or did.
        opens_at: Moment,
        /// Where it stands.
        status: SaleStatus,
    },
    /// The sale has a waiting room, and the buyer is not admitted.
    AdmissionRequired,
    /// The buyer has dropped too many holds of late: no hold of his is taken before `wait` is over.
    HoldsDropped {
        /// So many may be dropped ...
        quota: u32,
        /// ... within so long.
        window: Duration,
        /// Until the next hold.
        wait: Duration,
    },
    /// An operator's change contradicts what is held or sold. Nothing was done.
    ConflictsWithSales(Box<SalesConflict>),
    /// The order is confirmed already; or a part is to be given back of a hold that has an order,
    /// whatever has become of either.
    OrderNotCancellable,
    /// The order is not confirmed, nothing of it is left, or one of the tickets has come back already.
    RefundNotPossible,
    /// The hold is over or sold.
    HoldNotActive(HoldStatus),
    /// The buyer would have more seats than one may.
    BuyerLimitExceeded {
        /// How many one may have.
        limit: u32,
        /// How many this buyer holds or owns.
        held: u32,
    },
    /// These of the seats asked for cannot be had, and these general sections have not so many places
    /// left: all of them are named.
    SeatsUnavailable {
        /// Seats, in the order asked for.
        seats: Vec<SeatIndex>,
        /// Sections, in the order asked for.
        sections: Vec<SectionIndex>,
    },
}

/// What stands in the way of an operator's change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SalesConflict {
    /// Seats or places in the way that are sold.
    pub sold: u32,
    /// Seats or places in the way that living holds have.
    pub held: u32,
    /// What was asked: seats to be blocked, or places that there were to be.
    pub asked: u32,
    /// Seats in the way, in index order.
    pub seats: Vec<SeatIndex>,
    /// General sections in the way, in index order.
    pub sections: Vec<SectionConflict>,
}

/// A general section that has more in it than it was to have room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionConflict {
    /// Which.
    pub section: SectionIndex,
    /// Places sold.
    pub sold: u32,
    /// Places that living holds have.
    pub held: u32,
    /// The capacity asked for.
    pub asked: u32,
}

/// Why new terms make no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermsDefect {
    /// The sale would close before it opens.
    ClosesFirst {
        /// When it would open.
        opens_at: Moment,
        /// When it would close.
        closes_at: Moment,
    },
    /// There is no such tier.
    UnknownTier(Box<str>),
    /// The tier is not named, and a tier is never dropped while a section is sold at it.
    TierMissing {
        /// The tier.
        tier: Box<str>,
        /// A section or seat that is sold at it; none where the plan has no use for the tier.
        used_by: Option<Box<str>>,
    },
    /// What one buyer may take at this tier's price would cost more than an amount may be.
    TotalTooLarge {
        /// The tier.
        tier: Box<str>,
    },
    /// The section is not a general one.
    NotGeneral(SectionIndex),
    /// The sale is not paused.
    NotPaused(SaleStatus),
    /// The event's plan has dropped the seat, which is never for sale.
    SeatDropped(SeatIndex),
}

impl Refusal {
    /// The one name of this refusal: problem type, metric label and log field.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::KeyReused => "idempotency-key-reused",
            Self::UnknownSeats(_)
            | Self::PartTooLarge { .. }
            | Self::UnknownTickets(_)
            | Self::TermsInvalid(_) => "malformed-request",
            Self::PurchasesPaused(_) => "purchases-paused",
            Self::SaleNotOpen { .. } => "sale-not-open",
            Self::AdmissionRequired => "admission-required",
            Self::HoldsDropped { .. } => "too-many-requests",
            Self::ConflictsWithSales(_) => "conflicts-with-sales",
            Self::OrderNotCancellable => "order-not-cancellable",
            Self::RefundNotPossible => "refund-not-possible",
            Self::HoldNotActive(_) => "hold-not-active",
            Self::BuyerLimitExceeded { .. } => "buyer-limit-exceeded",
            Self::SeatsUnavailable { .. } => "seats-unavailable",
        }
    }

    /// Whether this is a result that the request's key stands for from now on.
    #[must_use]
    pub fn uses_key(&self) -> bool {
        match self {
            Self::HoldNotActive(_)
            | Self::BuyerLimitExceeded { .. }
            | Self::SeatsUnavailable { .. } => true,
            Self::NotFound
            | Self::KeyReused
            | Self::UnknownSeats(_)
            | Self::PartTooLarge { .. }
            | Self::UnknownTickets(_)
            | Self::TermsInvalid(_)
            | Self::PurchasesPaused(_)
            | Self::ConflictsWithSales(_)
            | Self::SaleNotOpen { .. }
            | Self::AdmissionRequired
            | Self::HoldsDropped { .. }
            | Self::OrderNotCancellable
            | Self::RefundNotPossible => false,
        }
    }
}
