//! A hold: seats or places that nobody else gets until it ends.

use crate::buyer::BuyerId;
use crate::id::{HoldId, OrderId, SeatIndex, SectionIndex};
use crate::moment::Moment;
use crate::pricing::Quote;

/// SHA-256 over method, path and parsed body: tells a repeated request from another one under the
/// same key.
pub type Fingerprint = [u8; 32];

/// What a hold takes, all of it in one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// These seats, in the order asked for.
    Seats(Vec<SeatIndex>),
    /// So many places of a general section.
    Places(u32),
}

impl Claim {
    /// How many seats or places.
    #[must_use]
    pub fn quantity(&self) -> u32 {
        match self {
            Self::Seats(seats) => u32::try_from(seats.len()).expect("a plan's seats fit"),
            Self::Places(quantity) => *quantity,
        }
    }
}

/// What became of a hold, as its row says it. An active one may be over by the clock:
/// [`Hold::status_at`] is what counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldStatus {
    /// Its seats are its own.
    Active,
    /// Given back by the buyer.
    Released,
    /// Its time ran out.
    Expired,
    /// Its seats are sold.
    Converted,
}

impl HoldStatus {
    /// The status as buyers see it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Released => "released",
            Self::Expired => "expired",
            Self::Converted => "converted",
        }
    }
}

/// A hold as decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Derived from event, buyer and key.
    pub id: HoldId,
    /// Whose it is.
    pub buyer: BuyerId,
    /// Of the request that made it.
    pub fingerprint: Fingerprint,
    /// Where its seats lie.
    pub section: SectionIndex,
    /// What it takes.
    pub claim: Claim,
    /// One price a seat; for places, one for each of them.
    pub unit_prices: Vec<i64>,
    /// Fees and total at the time of the decision.
    pub quote: Quote,
    /// As last decided.
    pub status: HoldStatus,
    /// The instant of the decision.
    pub created_at: Moment,
    /// From here on it is over.
    pub expires_at: Moment,
    /// Its order, once there is one.
    pub order: Option<OrderId>,
}

impl Hold {
    /// What the hold is at this instant: an active one whose time has come is expired, whatever has
    /// been written.
    #[must_use]
    pub fn status_at(&self, now: Moment) -> HoldStatus {
        match self.status {
            HoldStatus::Active if now >= self.expires_at => HoldStatus::Expired,
            status => status,
        }
    }
}
