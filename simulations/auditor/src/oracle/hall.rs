//! What is on sale and on what terms: the oracle's own plan, prices and idea of neighbours.

use super::{Claim, Instant, SaleState};

/// How a section is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By seat.
    Seated,
    /// By count.
    General {
        /// How many places.
        capacity: u32,
        /// Their price class.
        tier: u16,
    },
}

/// A section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HallSection {
    /// How it is sold.
    pub kind: Kind,
}

/// A seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HallSeat {
    /// Where it belongs.
    pub section: u16,
    /// Of its section.
    pub row: u16,
    /// Along its row; neighbours are one apart.
    pub x: i32,
    /// Its price class.
    pub tier: u16,
    /// Only for those who ask for such a seat.
    pub accessible: bool,
}

/// A fee on each ticket that is not free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fee {
    /// Millionths of the price, rounded half up.
    pub millionths: i64,
    /// On top.
    pub fixed: i64,
}

/// When and on what terms a hall is sold. Operators change them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Holds are taken from here on.
    pub opens_at: Instant,
    /// And no more from here on.
    pub closes_at: Instant,
    /// Whether an operator has stopped it.
    pub paused: bool,
    /// How long a hold lives that is made now.
    pub hold_ttl: Instant,
    /// How many seats a buyer may have.
    pub limit: u32,
    /// Whether one must be let in.
    pub waiting_room: bool,
    /// What a seat or place of each price class costs in a hold that is made now.
    pub prices: Vec<i64>,
}

/// A hall and the terms of its sale.
#[derive(Debug, Clone)]
pub struct Hall {
    /// By index.
    pub sections: Vec<HallSection>,
    /// By index.
    pub seats: Vec<HallSeat>,
    /// In the order in which they are shown.
    pub fees: Vec<Fee>,
    /// As they are now.
    pub terms: Terms,
}

/// What a claim costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bill {
    pub(super) unit_prices: Vec<i64>,
    pub(super) fees: Vec<i64>,
    pub(super) total: i64,
}

impl Terms {
    /// Where the sale stands. A pause counts before the opening, too; after the end it does not matter.
    #[must_use]
    pub fn state(&self, at: Instant) -> SaleState {
        if at >= self.closes_at {
            SaleState::Closed
        } else if self.paused {
            SaleState::Paused
        } else if at < self.opens_at {
            SaleState::Scheduled
        } else {
            SaleState::Open
        }
    }
}

impl Hall {
    /// What a new hold of this costs.
    pub(super) fn bill(&self, claim: &Claim) -> Bill {
        let price = |tier: u16| self.terms.prices[usize::from(tier)];
        let seats = claim.seats.iter().map(|seat| price(self.seats[*seat as usize].tier));
        let places = claim.places.iter().flat_map(|(section, quantity)| {
            let tier = match self.sections[usize::from(*section)].kind {
                Kind::General { tier, .. } => Some(tier),
                Kind::Seated => None,
            };
            tier.into_iter().flat_map(move |tier| vec![price(tier); *quantity as usize])
        });
        self.bill_at(seats.chain(places).collect())
    }

    /// With the fees on these prices.
    fn bill_at(&self, unit_prices: Vec<i64>) -> Bill {
        let fee = |fee: &Fee| -> i64 {
            let charged = unit_prices.iter().filter(|price| **price > 0);
            charged.map(|price| (price * fee.millionths + 500_000) / 1_000_000 + fee.fixed).sum()
        };
        let fees: Vec<i64> = self.fees.iter().map(fee).collect();
        let total = unit_prices.iter().chain(&fees).sum();
        Bill { unit_prices, fees, total }
    }

    /// What is left of a hold costs what it did when the hold was made.
    pub(super) fn bill_of_rest(&self, bill: &Bill, had: &Claim, left: &Claim) -> Bill {
        let (of_seats, mut of_places) = bill.unit_prices.split_at(had.seats.len());
        let seats = had.seats.iter().zip(of_seats);
        let kept = seats.filter(|(seat, _)| left.seats.contains(seat)).map(|(_, price)| *price);
        let mut unit_prices: Vec<i64> = kept.collect();
        for (section, quantity) in &had.places {
            let (here, others) = of_places.split_at(*quantity as usize);
            unit_prices.extend(&here[..left.places_in(*section) as usize]);
            of_places = others;
        }
        self.bill_at(unit_prices)
    }

    pub(super) fn capacity(&self, section: u16) -> u32 {
        match self.sections[usize::from(section)].kind {
            Kind::General { capacity, .. } => capacity,
            Kind::Seated => 0,
        }
    }

    pub(super) fn resize(&mut self, section: u16, places: u32) {
        match &mut self.sections[usize::from(section)].kind {
            Kind::General { capacity, .. } => *capacity = places,
            Kind::Seated => {}
        }
    }

    /// The sections that have a say in the claim.
    pub(super) fn sections_of(&self, claim: &Claim) -> Vec<u16> {
        let seats = claim.seats.iter().map(|seat| self.seats[*seat as usize].section);
        let mut sections: Vec<u16> = seats.chain(claim.places.iter().map(|(it, _)| *it)).collect();
        sections.sort_unstable();
        sections.dedup();
        sections
    }

    /// Whether one seat is beside the other.
    pub(super) fn are_neighbours(&self, one: u32, other: u32) -> bool {
        let (one, other) = (self.seats[one as usize], self.seats[other as usize]);
        (one.section, one.row) == (other.section, other.row) && (one.x - other.x).abs() == 1
    }

    /// Whether the seats are all side by side, in the order in which people sit.
    pub(super) fn is_run(&self, seats: &[u32]) -> bool {
        seats.windows(2).all(|pair| self.are_neighbours(pair[0], pair[1]))
    }
}
