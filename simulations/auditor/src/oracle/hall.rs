//! What is on sale and on what terms: the oracle's own plan, prices and idea of neighbours.

use super::{Claim, Instant};

/// How a section is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By seat.
    Seated,
    /// By count.
    General {
        /// How many places.
        capacity: u32,
        /// What one costs.
        price: i64,
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
    /// What it costs.
    pub price: i64,
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

/// A hall and the terms of its sale.
#[derive(Debug, Clone)]
pub struct Hall {
    /// By index.
    pub sections: Vec<HallSection>,
    /// By index.
    pub seats: Vec<HallSeat>,
    /// In the order in which they are shown.
    pub fees: Vec<Fee>,
    /// How long a hold lives.
    pub hold_ttl: Instant,
    /// How many seats a buyer may have.
    pub limit: u32,
    /// Holds are taken from here on.
    pub opens_at: Instant,
    /// And no more from here on.
    pub closes_at: Instant,
    /// Whether one must be let in.
    pub waiting_room: bool,
}

/// What a claim costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bill {
    pub(super) unit_prices: Vec<i64>,
    pub(super) fees: Vec<i64>,
    pub(super) total: i64,
}

impl Hall {
    pub(super) fn bill(&self, claim: &Claim) -> Bill {
        let mut unit_prices: Vec<i64> =
            claim.seats.iter().map(|seat| self.seats[*seat as usize].price).collect();
        for (section, quantity) in &claim.places {
            let Kind::General { price, .. } = self.sections[usize::from(*section)].kind else {
                continue;
            };
            unit_prices.extend(std::iter::repeat_n(price, *quantity as usize));
        }
        let fee = |fee: &Fee| -> i64 {
            let charged = unit_prices.iter().filter(|price| **price > 0);
            charged.map(|price| (price * fee.millionths + 500_000) / 1_000_000 + fee.fixed).sum()
        };
        let fees: Vec<i64> = self.fees.iter().map(fee).collect();
        let total = unit_prices.iter().chain(&fees).sum();
        Bill { unit_prices, fees, total }
    }

    pub(super) fn capacity(&self, section: u16) -> u32 {
        match self.sections[usize::from(section)].kind {
            Kind::General { capacity, .. } => capacity,
            Kind::Seated => 0,
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
