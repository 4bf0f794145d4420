//! A hold: seats or places that nobody else gets until it ends.

use smallvec::SmallVec;

use crate::buyer::BuyerId;
use crate::id::{HoldId, OrderId, SeatIndex, SectionIndex};
use crate::moment::Moment;
use crate::plan::{Plan, SectionKind};
use crate::pricing::Quote;
use crate::seating::Reason;

/// SHA-256 over method, path and parsed body: tells a repeated request from another one under the
/// same key.
pub type Fingerprint = [u8; 32];

/// What a hold is given whose payment is being verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// It lives until then: its end has been put off, now or before.
    Until(Moment),
    /// Its end is not near, or the sale gives none.
    NotGiven,
}

/// What a hold takes of one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Portion {
    /// These seats, in the order asked for.
    Seats(Vec<SeatIndex>),
    /// So many places of a general section.
    Places(u32),
}

impl Portion {
    /// None of them.
    #[must_use]
    pub fn none(&self) -> Self {
        match self {
            Self::Seats(_) => Self::Seats(Vec::new()),
            Self::Places(_) => Self::Places(0),
        }
    }

    /// How many seats or places.
    #[must_use]
    pub fn quantity(&self) -> u32 {
        match self {
            Self::Seats(seats) => u32::try_from(seats.len()).expect("a plan's seats fit"),
            Self::Places(quantity) => *quantity,
        }
    }
}

/// What a hold takes, in any number of sections. No seat and no section stands twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Seats, in the order asked for.
    pub seats: Vec<SeatIndex>,
    /// Places of general sections, in the order asked for.
    pub places: Vec<(SectionIndex, u32)>,
}

impl Claim {
    /// These seats and nothing else.
    #[must_use]
    pub fn of_seats(seats: Vec<SeatIndex>) -> Self {
        Self { seats, places: Vec::new() }
    }

    /// So many places of one general section.
    #[must_use]
    pub fn of_places(section: SectionIndex, quantity: u32) -> Self {
        Self { seats: Vec::new(), places: vec![(section, quantity)] }
    }

    /// How many seats and places. A buyer may ask for more than a number holds: then it is the largest.
    #[must_use]
    pub fn quantity(&self) -> u32 {
        let seats = u32::try_from(self.seats.len()).expect("a plan's seats fit");
        let places = self.places.iter().map(|(_, quantity)| *quantity);
        places.fold(seats, u32::saturating_add)
    }

    /// Whether nothing is claimed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty() && self.places.is_empty()
    }

    /// What each section is to give, in the order of sections, so that whoever asks several asks all of
    /// them in the one order.
    #[must_use]
    pub fn portions(&self, plan: &Plan) -> SmallVec<[(SectionIndex, Portion); 1]> {
        let mut portions: SmallVec<[(SectionIndex, Portion); 1]> = SmallVec::new();
        for seat in &self.seats {
            let section = plan.seat(*seat).section;
            match portions.iter_mut().find(|(index, _)| *index == section) {
                Some((_, Portion::Seats(seats))) => seats.push(*seat),
                Some((_, Portion::Places(_))) => unreachable!("a section has seats or places"),
                None => portions.push((section, Portion::Seats(vec![*seat]))),
            }
        }
        let places = self.places.iter();
        portions.extend(places.map(|(section, n)| (*section, Portion::Places(*n))));
        portions.sort_unstable_by_key(|(section, _)| *section);
        portions
    }

    /// The sections of its portions, in their order.
    #[must_use]
    pub fn sections(&self, plan: &Plan) -> SmallVec<[SectionIndex; 2]> {
        let seats = self.seats.iter().map(|seat| plan.seat(*seat).section);
        let mut sections: SmallVec<_> =
            seats.chain(self.places.iter().map(|(section, _)| *section)).collect();
        sections.sort_unstable();
        sections.dedup();
        sections
    }

    /// Whether the plan has all of it.
    #[must_use]
    pub fn fits(&self, plan: &Plan) -> bool {
        let has_seat = |seat: &SeatIndex| (seat.0 as usize) < plan.seats().len();
        let is_general = |(section, _): &(SectionIndex, u32)| {
            let section = plan.sections().get(usize::from(section.0));
            section.is_some_and(|it| matches!(it.kind, SectionKind::General { .. }))
        };
        self.seats.iter().all(has_seat) && self.places.iter().all(is_general)
    }

    /// The part of this claim that `other` does not have.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let seats = self.seats.iter().filter(|seat| !other.seats.contains(seat));
        let places = self.places.iter().filter_map(|(section, quantity)| {
            let taken = other.places.iter().find(|(index, _)| index == section);
            let left = quantity.saturating_sub(taken.map_or(0, |(_, taken)| *taken));
            (left > 0).then_some((*section, left))
        });
        Self { seats: seats.copied().collect(), places: places.collect() }
    }
}

/// Why these seats, of a hold whose buyer left the choice to the house.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The row of the first seat.
    pub row: Box<str>,
    /// Mean distance from front and centre, in hundredths of a seat's width.
    pub distance: u32,
    /// Whether the seats do not all lie next to each other.
    pub split: bool,
    /// Single free seats that the choice leaves behind.
    pub orphans: u32,
    /// Why these.
    pub reason: Reason,
}

/// What a hold's answer says beside what it takes. Most holds have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// What was asked for and could not be had.
    pub declined: Claim,
    /// Why these seats.
    pub choice: Option<Choice>,
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
    /// What it takes; what is given back before there is an order is taken out.
    pub claim: Claim,
    /// One price for each seat, then one for each place, in the claim's order.
    pub unit_prices: Vec<i64>,
    /// Fees and total at the time of the decision.
    pub quote: Quote,
    /// As last decided.
    pub status: HoldStatus,
    /// The instant of the decision.
    pub created_at: Moment,
    /// From here on it is over.
    pub expires_at: Moment,
    /// Whether its end has been put off, which is done once.
    pub extended: bool,
    /// Its order, once there is one.
    pub order: Option<OrderId>,
    /// What else its buyer was told.
    pub remarks: Option<Box<Remarks>>,
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
