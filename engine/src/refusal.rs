//! Refusals: decided answers that say no. Variants stand in order of precedence: when several
//! apply, the first is the answer.

use crate::hold::HoldStatus;
use crate::id::{SeatIndex, SectionIndex};
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
    /// The sale takes no holds now.
    SaleNotOpen {
        /// When it opens or did.
        opens_at: Moment,
        /// Where it stands.
        status: SaleStatus,
    },
    /// The sale has a waiting room, and the buyer is not admitted.
    AdmissionRequired,
    /// The hold is over or sold.
    HoldNotActive(HoldStatus),
    /// The order is confirmed already.
    OrderNotCancellable,
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

impl Refusal {
    /// The one name of this refusal: problem type, metric label and log field.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::KeyReused => "idempotency-key-reused",
            Self::UnknownSeats(_) => "malformed-request",
            Self::SaleNotOpen { .. } => "sale-not-open",
            Self::AdmissionRequired => "admission-required",
            Self::HoldNotActive(_) => "hold-not-active",
            Self::OrderNotCancellable => "order-not-cancellable",
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
            | Self::SaleNotOpen { .. }
            | Self::AdmissionRequired
            | Self::OrderNotCancellable => false,
        }
    }
}
