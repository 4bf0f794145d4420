//! The event's seating plan as decisions need it: which seats and sections there are, what each
//! costs, and where it lies, for whoever looks for seats side by side.
//!
//! Labels and section names are compared in their canonical form ([`crate::name`]).

mod labels;
mod rooms;
mod seats;

use std::collections::HashMap;
use std::sync::Arc;

use self::labels::Labels;
use self::seats::Packed;
pub use self::seats::{Seat, SeatPlan, Seats};
use crate::id::{SeatIndex, SectionIndex};
use crate::name::canonical;
use crate::seating::Seating;

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

/// Sections, seats and tiers of one event. Immutable.
#[derive(Debug)]
pub struct Plan {
    tiers: Vec<Tier>,
    sections: Vec<SectionPlan>,
    hall: Arc<Hall>,
}

/// What no amendment changes.
#[derive(Debug)]
struct Hall {
    seats: Packed,
    labels: Labels,
    rooms: Box<[Option<Arc<Seating>>]>,
    /// Ascending.
    dropped: Box<[SeatIndex]>,
    /// By canonical name.
    sections_by_name: HashMap<String, SectionIndex>,
}

impl Plan {
    /// A plan of these parts. The seats agree with the sections' ranges, which whoever stores a plan
    /// has made sure of.
    ///
    /// # Panics
    /// If a seat names a section or tier that is not there, or there are more than [`SEATS_MAX`].
    #[must_use]
    pub fn new(tiers: Vec<Tier>, sections: Vec<SectionPlan>, seats: Seats) -> Self {
        let Seats { packed, spots, dropped } = seats;
        // Grown seat by seat it has room to spare, which a copy has not. (Allocators shrink a block
        // by less than half only in name.)
        let seats = packed.clone();
        drop(packed);
        assert!(seats.len() <= SEATS_MAX as usize, "a plan has at most {SEATS_MAX} seats");
        for seat in (0..seats.len()).map(|index| seats.seat(index)) {
            assert!(
                usize::from(seat.section.0) < sections.len(),
                "{} has no section",
                seat.label()
            );
            assert!(usize::from(seat.tier) < tiers.len(), "{} has no tier", seat.label());
        }
        let rooms = rooms::rooms(&sections, &spots);
        drop(spots);
        let labels = Labels::of(&seats);
        let by_name = (0..)
            .zip(&sections)
            .map(|(index, section)| (canonical(&section.name).into_owned(), SectionIndex(index)));
        let sections_by_name = by_name.collect();
        let dropped = dropped.into();
        let hall = Arc::new(Hall { seats, labels, rooms, dropped, sections_by_name });
        Self { tiers, sections, hall }
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
        Self { tiers, sections, hall: Arc::clone(&self.hall) }
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
    pub fn seats(&self) -> impl ExactSizeIterator<Item = Seat<'_>> {
        (0..self.hall.seats.len()).map(|index| self.hall.seats.seat(index))
    }

    /// The section at this index, which must be one of the plan's.
    #[must_use]
    pub fn section(&self, index: SectionIndex) -> &SectionPlan {
        &self.sections[usize::from(index.0)]
    }

    /// The seat at this index, which must be one of the plan's.
    #[must_use]
    pub fn seat(&self, index: SeatIndex) -> Seat<'_> {
        self.hall.seats.seat(index.0 as usize)
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

    /// The seat of this label, however it is composed.
    #[must_use]
    pub fn seat_of(&self, label: &str) -> Option<SeatIndex> {
        self.hall.labels.find(label, &self.hall.seats)
    }

    /// Whether an earlier version of the hall's plan had this seat, and this one has not.
    #[must_use]
    pub fn is_dropped(&self, index: SeatIndex) -> bool {
        self.hall.dropped.binary_search(&index).is_ok()
    }

    /// Where the seats of a section lie; a general one has none.
    #[must_use]
    pub fn seating(&self, index: SectionIndex) -> Option<&Arc<Seating>> {
        self.hall.rooms[usize::from(index.0)].as_ref()
    }

    /// The price class of this name, however it is composed.
    #[must_use]
    pub fn tier_of(&self, name: &str) -> Option<u16> {
        let name = canonical(name);
        let is_it = |tier: &Tier| canonical(&tier.name) == name;
        (0..).zip(&self.tiers).find(|(_, tier)| is_it(tier)).map(|(index, _)| index)
    }

    /// The section of this name, however it is composed.
    #[must_use]
    pub fn section_of(&self, name: &str) -> Option<SectionIndex> {
        self.hall.sections_by_name.get(&*canonical(name)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(labels: &[&str]) -> Plan {
        let seats = u32::try_from(labels.len()).expect("few");
        let kind = SectionKind::Seated { first: SeatIndex(0), seats };
        let section = SectionPlan { name: "Gale\u{301}rie".into(), kind, tier: 0 };
        let seat = |label: &&str| SeatPlan { label: (*label).into(), ..SeatPlan::default() };
        let tier = Tier { name: "A".into(), price: 1 };
        Plan::new(vec![tier], vec![section], labels.iter().map(seat).collect())
    }

    #[test]
    fn names_are_found_however_they_are_composed_and_shown_as_given() {
        let plan = plan(&["O\u{308}-1", "Ö-2", "座位1"]);
        for (label, index) in [("Ö-1", 0), ("O\u{308}-2", 1), ("座位1", 2)] {
            assert_eq!(plan.seat_of(label), Some(SeatIndex(index)), "{label}");
        }
        assert_eq!(plan.seat(SeatIndex(0)).label(), "O\u{308}-1");
        assert_eq!((plan.seat_of("O-1"), plan.seat_of("座位2")), (None, None));
        assert_eq!(plan.section_of("Galérie"), Some(SectionIndex(0)));
        assert_eq!(plan.section_of("Galerie"), None);
    }

    /// Text apart: 8 for the seat, 6 to find it by its label, 20 for where it lies; and for each row a
    /// name's pointer and a stretch of 16 each.
    #[test]
    fn a_stadiums_plan_takes_no_more_bytes_than_these() {
        let (seats, row_seats) = (60_000_u32, 25);
        let seat = |n: u32| SeatPlan {
            label: n.to_string().into(),
            row: (n / row_seats).to_string().into(),
            x: (n % row_seats) as f32,
            y: (n / row_seats) as f32,
            ..SeatPlan::default()
        };
        let kind = SectionKind::Seated { first: SeatIndex(0), seats };
        let section = SectionPlan { name: "A".into(), kind, tier: 0 };
        let tier = Tier { name: "A".into(), price: 1 };
        let plan = Plan::new(vec![tier], vec![section], (0..seats).map(seat).collect());

        let text: usize = plan.seats().map(|seat| seat.label().len()).sum();
        let rooms = plan.hall.rooms.iter().flatten().map(|room| room.allocated());
        let hall =
            plan.hall.seats.allocated() + plan.hall.labels.allocated() + rooms.sum::<usize>();
        let (seats, rows) = (seats as usize, (seats / row_seats) as usize);
        let of_tiers_and_the_last_bucket = 16;
        assert_eq!(hall, text + 34 * seats + 32 * rows + of_tiers_and_the_last_bucket);
    }

    #[test]
    fn every_seat_of_a_stadium_is_found_by_its_label() {
        let labels: Vec<String> = (0..60_000).map(|n| format!("{}-{n}", n % 61)).collect();
        let plan = plan(&labels.iter().map(String::as_str).collect::<Vec<_>>());
        for (index, label) in (0..).zip(&labels) {
            assert_eq!(plan.seat_of(label), Some(SeatIndex(index)));
        }
        assert_eq!(plan.seat_of("61-0"), None);
    }
}
