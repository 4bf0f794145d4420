//! The event's seating plan as decisions need it: which seats and sections there are, and what each
//! costs. Geometry is not here; it decides nothing.

use std::collections::HashMap;
use std::sync::Arc;

use crate::id::{SeatIndex, SectionIndex};

/// The most seats an event may have; a seat's index takes 20 bits of its key in the database.
pub const SEATS_MAX: u32 = 1 << 20;

/// A price class of the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tier {
    /// As buyers see it.
    pub name: String,
    /// Minor units of the event's currency.
    pub price: i64,
}

/// How a section is sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// Numbered seats, which lie next to each other in index order.
    Seated {
        /// The section's first seat.
        first: SeatIndex,
        /// How many seats it has.
        seats: u32,
    },
    /// Places without number.
    General {
        /// How many people may be in it.
        capacity: u32,
    },
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionPlan {
    /// Unique in the event.
    pub name: String,
    /// Seats or places.
    pub kind: SectionKind,
    /// The tier of a place of a general section; of a seated one, its first seat's.
    pub tier: u16,
}

impl SectionPlan {
    /// Seats or places in all.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        match self.kind {
            SectionKind::Seated { seats, .. } => seats,
            SectionKind::General { capacity } => capacity,
        }
    }
}

/// One seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatPlan {
    /// Unique in the event: what people and requests call it.
    pub label: Box<str>,
    /// Where it lies.
    pub section: SectionIndex,
    /// Its price class.
    pub tier: u16,
}

/// Sections, seats and tiers of one event. Immutable.
#[derive(Debug)]
pub struct Plan {
    tiers: Vec<Tier>,
    sections: Vec<SectionPlan>,
    seats: Arc<[SeatPlan]>,
    seats_by_label: Arc<HashMap<Box<str>, SeatIndex>>,
    sections_by_name: Arc<HashMap<String, SectionIndex>>,
}

impl Plan {
    /// A plan of these parts. `seats` are in index order and agree with the sections' ranges, which
    /// whoever stores a plan has made sure of.
    ///
    /// # Panics
    /// If a seat names a section or tier that is not there, or there are more than [`SEATS_MAX`].
    #[must_use]
    pub fn new(tiers: Vec<Tier>, sections: Vec<SectionPlan>, seats: Vec<SeatPlan>) -> Self {
        assert!(seats.len() <= SEATS_MAX as usize, "a plan has at most {SEATS_MAX} seats");
        for seat in &seats {
            assert!(usize::from(seat.section.0) < sections.len(), "{} has no section", seat.label);
            assert!(usize::from(seat.tier) < tiers.len(), "{} has no tier", seat.label);
        }
        let by_label =
            (0..).zip(&seats).map(|(index, seat)| (seat.label.clone(), SeatIndex(index)));
        let seats_by_label = Arc::new(by_label.collect());
        let by_name = (0..)
            .zip(&sections)
            .map(|(index, section)| (section.name.clone(), SectionIndex(index)));
        let sections_by_name = Arc::new(by_name.collect());
        Self { tiers, sections, seats: seats.into(), seats_by_label, sections_by_name }
    }

    /// The same seats at these prices, and in general sections of these capacities. Seats and names
    /// are shared.
    ///
    /// # Panics
    /// If a tier or general section is named that is not there.
    #[must_use]
    pub fn amended(&self, prices: &[(u16, i64)], capacities: &[(SectionIndex, u32)]) -> Self {
        let (mut tiers, mut sections) = (self.tiers.clone(), self.sections.clone());
        for (tier, price) in prices {
            tiers[usize::from(*tier)].price = *price;
        }
        for (section, becomes) in capacities {
            match &mut sections[usize::from(section.0)].kind {
                SectionKind::General { capacity } => *capacity = *becomes,
                SectionKind::Seated { .. } => panic!("{section:?} has seats, not a capacity"),
            }
        }
        let (seats, seats_by_label) = (Arc::clone(&self.seats), Arc::clone(&self.seats_by_label));
        let sections_by_name = Arc::clone(&self.sections_by_name);
        Self { tiers, sections, seats, seats_by_label, sections_by_name }
    }

    /// The price classes.
    #[must_use]
    pub fn tiers(&self) -> &[Tier] {
        &self.tiers
    }

    /// The sections, in index order.
    #[must_use]
    pub fn sections(&self) -> &[SectionPlan] {
        &self.sections
    }

    /// The seats, in index order.
    #[must_use]
    pub fn seats(&self) -> &[SeatPlan] {
        &self.seats
    }

    /// The section at this index, which must be one of the plan's.
    #[must_use]
    pub fn section(&self, index: SectionIndex) -> &SectionPlan {
        &self.sections[usize::from(index.0)]
    }

    /// The seat at this index, which must be one of the plan's.
    #[must_use]
    pub fn seat(&self, index: SeatIndex) -> &SeatPlan {
        &self.seats[index.0 as usize]
    }

    /// The price class of a seat.
    #[must_use]
    pub fn seat_tier(&self, index: SeatIndex) -> &Tier {
        &self.tiers[usize::from(self.seat(index).tier)]
    }

    /// The price class of a general section's places.
    #[must_use]
    pub fn section_tier(&self, index: SectionIndex) -> &Tier {
        &self.tiers[usize::from(self.section(index).tier)]
    }

    /// The seat of this label.
    #[must_use]
    pub fn seat_of(&self, label: &str) -> Option<SeatIndex> {
        self.seats_by_label.get(label).copied()
    }

    /// The price class of this name.
    #[must_use]
    pub fn tier_of(&self, name: &str) -> Option<u16> {
        (0..).zip(&self.tiers).find(|(_, tier)| tier.name == name).map(|(index, _)| index)
    }

    /// The section of this name.
    #[must_use]
    pub fn section_of(&self, name: &str) -> Option<SectionIndex> {
        self.sections_by_name.get(name).copied()
    }
}
