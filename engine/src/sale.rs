//! When and on what terms an event sells.

use std::time::Duration;

use crate::moment::Moment;

/// The sale policy of an event. It opens and closes by the clock; only an operator pauses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sale {
    /// From here on holds are taken.
    pub opens_at: Moment,
    /// From here on no new hold is taken; a living one may still be ordered and paid.
    pub closes_at: Moment,
    /// How long a hold lives.
    pub hold_ttl: Duration,
    /// How many seats one buyer may hold and own together in this event.
    pub buyer_seats_max: u32,
    /// Whether a hold needs an admission.
    pub waiting_room: bool,
    /// Whether an operator has stopped it for now.
    pub paused: bool,
    /// How much longer a hold may live, once, while its payment is being verified.
    pub verifying_extension: Duration,
    /// Whether the event does not take place. For ever.
    pub cancelled: bool,
}

/// Where a sale stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaleStatus {
    /// Before `opens_at`.
    Scheduled,
    /// Holds are taken.
    Open,
    /// Stopped by an operator, before it opens or after.
    Paused,
    /// From `closes_at` on.
    Closed,
    /// The event does not take place.
    Cancelled,
}

impl SaleStatus {
    /// The status as buyers see it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing is sold any more.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Closed | Self::Cancelled => true,
            Self::Scheduled | Self::Open | Self::Paused => false,
        }
    }
}

impl Sale {
    /// Where the sale stands at this instant.
    #[must_use]
    pub fn status(&self, now: Moment) -> SaleStatus {
        if self.cancelled {
            SaleStatus::Cancelled
        } else if now >= self.closes_at {
            SaleStatus::Closed
        } else if self.paused {
            SaleStatus::Paused
        } else if now >= self.opens_at {
            SaleStatus::Open
        } else {
            SaleStatus::Scheduled
        }
    }
}
