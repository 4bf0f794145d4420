//! What can be asked, in the oracle's words.

use super::Instant;

/// A hold by what names it. Its order has the same name: a hold has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HoldName {
    /// Whose it is.
    pub buyer: u32,
    /// The key that it was asked for with.
    pub key: u32,
}

/// Seats and places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// Indexes of seats, in the order asked for.
    pub seats: Vec<u32>,
    /// Sections and quantities, in the order asked for.
    pub places: Vec<(u16, u32)>,
}

/// Seats that the house chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best {
    /// How many.
    pub quantity: u32,
    /// Only here.
    pub section: Option<u16>,
    /// Only of this price class.
    pub tier: Option<u16>,
    /// All side by side.
    pub adjacent: bool,
    /// At least one of them accessible.
    pub accessible: bool,
}

/// What a hold is wanted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Just this, or what there is of it.
    Claim {
        /// What.
        claim: Claim,
        /// Whether a part will do.
        fewer: bool,
    },
    /// The best there is.
    Best {
        /// Of what.
        best: Best,
        /// Whether fewer will do.
        fewer: bool,
    },
    /// The event has no such seats.
    Unknown(Vec<String>),
}

/// What an operator does to a sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Seats are taken off sale, and put back on; none stands twice.
    Blocks {
        /// To be blocked; those that are stay so.
        block: Vec<u32>,
        /// To be free again; those that are not blocked stay as they are.
        unblock: Vec<u32>,
    },
    /// It opens now.
    Open,
    /// Nothing is held or ordered until it goes on.
    Pause,
    /// It goes on.
    Resume,
    /// It closes now.
    Close,
    /// Other terms; what is not named stays.
    Amend(Amendment),
}

/// Other terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Amendment {
    /// As in [`Terms`](super::Terms).
    pub opens_at: Option<Instant>,
    /// As in [`Terms`](super::Terms).
    pub closes_at: Option<Instant>,
    /// As in [`Terms`](super::Terms).
    pub hold_ttl: Option<Instant>,
    /// As in [`Terms`](super::Terms).
    pub limit: Option<u32>,
    /// As in [`Terms`](super::Terms).
    pub waiting_room: Option<bool>,
    /// All prices, or none.
    pub prices: Vec<i64>,
    /// How many places these sections are to have; none stands twice.
    pub capacities: Vec<(u16, u32)>,
}

/// Tickets of an order that an operator takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// Names it.
    pub key: u32,
    /// Stands for the request's body.
    pub body: u64,
    /// By its hold.
    pub order_of: HoldName,
    /// By their place in the claim, none twice; or all that are left.
    pub tickets: Option<Vec<u32>>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A new hold.
    Place {
        /// Names it.
        key: u32,
        /// Stands for the request's body.
        body: u64,
        /// What is wanted.
        wish: Wish,
        /// Whether the waiting room let the buyer in.
        admitted: bool,
    },
    /// A hold is given back.
    Release {
        /// Which.
        hold: HoldName,
    },
    /// A part of a hold is given back.
    GiveBack {
        /// Of which.
        hold: HoldName,
        /// What; or what the event does not have.
        part: Result<Claim, Vec<String>>,
    },
    /// The order of a hold.
    Order {
        /// Names the request.
        key: u32,
        /// Stands for the request's body.
        body: u64,
        /// Which hold.
        hold: HoldName,
    },
    /// An order is given up.
    Cancel {
        /// By its hold.
        order_of: HoldName,
    },
    /// An attempt is authorised.
    Confirm {
        /// By its hold.
        order_of: HoldName,
        /// Which attempt.
        attempt: u32,
    },
    /// One hold is looked at.
    Read {
        /// Which.
        hold: HoldName,
    },
    /// All of one's holds are looked at.
    List,
    /// Sold tickets come back; who asks is no buyer.
    Refund(Refund),
    /// An operator acts; who asks is no buyer.
    Operate {
        /// Names the row of the operators' trail.
        deed: u32,
        /// What is to be done.
        change: Change,
    },
}

/// Who asked what, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Who.
    pub buyer: u32,
    /// When it came in.
    pub at: Instant,
    /// What.
    pub asked: Asked,
}

impl Claim {
    /// How many seats and places.
    #[must_use]
    pub fn quantity(&self) -> u32 {
        let places: u32 = self.places.iter().map(|(_, quantity)| quantity).sum();
        u32::try_from(self.seats.len()).unwrap_or(u32::MAX) + places
    }

    /// How many places of this section.
    #[must_use]
    pub fn places_in(&self, section: u16) -> u32 {
        self.places.iter().find(|(place, _)| *place == section).map_or(0, |(_, quantity)| *quantity)
    }

    /// What is left of it without `part`.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        let seats = self.seats.iter().filter(|seat| !part.seats.contains(seat)).copied();
        let places = self.places.iter().map(|(section, quantity)| {
            (*section, quantity.saturating_sub(part.places_in(*section)))
        });
        Self { seats: seats.collect(), places: places.filter(|(_, left)| *left > 0).collect() }
    }
}
