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

/// One command. What operators ask (blocks, capacities, pauses) becomes more variants here, each with
/// a method of the oracle's beside `hear_release` and the like; a blocked seat is a tenure without a
/// hold.
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
