//! Where a section's seats lie in the room, and which of them somebody gets who lets us choose.
//!
//! A [`Seating`] is built once from positions and never changes; who has a seat is asked of the
//! caller. Neighbours are neighbours in the room: numbers and labels are not even known here, for a
//! row may run 41, 39 … 1, 2 … 40. No IO, no clock, no chance: the same question has the same
//! answer. What counts for how much stands in one file, `seating/cost.rs`.

mod apart;
mod cost;
mod neighbours;
mod pieces;
mod runs;
mod stage;
mod together;
mod wish;

use std::ops::Range;
use std::sync::Arc;

pub use cost::{ALONE, ANOTHER_ROW, APART, ORPHAN, SPARE_ACCESSIBLE};
pub use stage::Stage;
pub use wish::{Choice, ChoiceWish, Reason};

/// A seat as its plan has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The row's name. Seats of different names are never neighbours; seats of one name are only if
    /// they lie side by side, so that two rows may share a name.
    pub row: Arc<str>,
    /// From left to right, in the plan's own units.
    pub x: f32,
    /// From front to back, in the plan's own units. A position that is no finite number is nobody's
    /// neighbour, and the farthest of all.
    pub y: f32,
    /// Its price class.
    pub tier: u16,
    /// Kept for those who ask for an accessible seat.
    pub accessible: bool,
}

/// A section's seats in the order in which people sit: 20 bytes a seat, 16 a stretch and a name's
/// pointer a row; nothing is allocated for each seat.
#[derive(Debug)]
pub struct Seating {
    rows: Box<[Arc<str>]>,
    /// Nearest first, so that a search may end early.
    stretches: Box<[Stretch]>,
    /// Stretch by stretch, each from one end to the other.
    chairs: Box<[Chair]>,
    /// Of the chairs, from the focus, in seats. Apart from them, since most searches need none.
    points: Box<[[f32; 2]]>,
    /// Of each tier, the least distance of its seats. A section has few tiers.
    nearest: Box<[(u16, u32)]>,
}

/// What a search looks at of a seat.
#[derive(Clone, Copy, Debug)]
struct Chair {
    /// Its index in the section.
    place: u32,
    /// As [`cost::UNITS_A_SEAT`] has it.
    distance: u32,
    tier: u16,
    accessible: bool,
}

const _: () = assert!(size_of::<Chair>() == 12 && size_of::<Stretch>() == 16);

/// Seats side by side, from gangway to gangway.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: u32,
    end: u32,
    row: u32,
    /// The least distance of its chairs.
    nearest: u32,
}

impl Stretch {
    fn chairs(&self) -> Range<u32> {
        self.start..self.end
    }
}

impl Seating {
    /// The seating of a section whose seats are `spots`, in index order; seat *n* of them is place
    /// *n* of every wish and choice. Sorts, so `n log n` in the seats.
    ///
    /// # Panics
    /// If there are more seats than a `u32` counts; a plan has far fewer.
    #[must_use]
    pub fn new(spots: &[Spot], stage: Stage) -> Self {
        let distances = stage.distances(spots);
        let mut rows: Vec<Arc<str>> = Vec::new();
        let mut found: Vec<(Stretch, Vec<u32>)> = Vec::new();
        for row in neighbours::rows(spots) {
            let index = u32::try_from(rows.len()).expect("a plan has fewer rows than a u32 counts");
            rows.push(Arc::clone(&spots[row[0] as usize].row));
            for places in neighbours::chains(spots, &row, stage.seat_pitch) {
                let nearest = places.iter().map(|place| distances[*place as usize]).min();
                let nearest = nearest.expect("a chain has a seat");
                found.push((Stretch { start: 0, end: 0, row: index, nearest }, places));
            }
        }
        found.sort_unstable_by_key(|(stretch, places)| (stretch.nearest, places[0]));

        let chair = |place: u32| {
            let Spot { tier, accessible, .. } = spots[place as usize];
            Chair { place, distance: distances[place as usize], tier, accessible }
        };
        let mut chairs: Vec<Chair> = Vec::with_capacity(spots.len());
        let mut stretches = Vec::with_capacity(found.len());
        for (mut stretch, places) in found {
            stretch.start = chairs.len() as u32;
            chairs.extend(places.into_iter().map(chair));
            stretch.end = chairs.len() as u32;
            stretches.push(stretch);
        }
        let points = chairs.iter().map(|chair| stage.point(&spots[chair.place as usize])).collect();
        let nearest = nearest_of_tiers(&chairs);
        Self {
            rows: rows.into(),
            stretches: stretches.into(),
            chairs: chairs.into(),
            points,
            nearest,
        }
    }

    /// The least distance, in seats, that a choice of this tier (of any, if none is named) could
    /// have here, whoever has the seats: a section whose bound is above what another section offers
    /// need not be asked. Infinite if there is no such seat.
    #[must_use]
    pub fn nearest(&self, tier: Option<u16>) -> f32 {
        let of_tier = |(its, _): &&(u16, u32)| tier.is_none_or(|wanted| *its == wanted);
        let least = self.nearest.iter().filter(of_tier).map(|(_, distance)| *distance).min();
        least.map_or(f32::INFINITY, |distance| cost::in_seats(u64::from(distance), 1))
    }

    /// The best seats for this wish among those that `taken` does not have, or none if it cannot be
    /// met. `taken` is asked about places of this section, of some of them twice, and must not
    /// change its mind meanwhile.
    ///
    /// Seats side by side come first: of all such the one of the least [cost](ORPHAN), of equal ones
    /// the one with the lowest place at its end. Only if there is none, and the wish allows it, the
    /// party is split into as few parts as can be, which lie close together.
    #[must_use]
    pub fn choose(&self, wish: &ChoiceWish, taken: impl Fn(u32) -> bool) -> Option<Choice> {
        let together = together::find(self, wish, &taken);
        if together.is_some() || wish.adjacent {
            return together;
        }
        apart::find(self, wish, &taken)
    }

    /// How many seats it has.
    #[must_use]
    pub fn seats(&self) -> u32 {
        self.chairs.len() as u32
    }

    #[cfg(test)]
    pub(crate) fn allocated(&self) -> usize {
        let Self { rows, stretches, chairs, points, nearest } = self;
        size_of_val(&**rows)
            + size_of_val(&**stretches)
            + size_of_val(&**chairs)
            + size_of_val(&**points)
            + size_of_val(&**nearest)
    }

    fn points(&self, range: &Range<u32>) -> &[[f32; 2]] {
        &self.points[range.start as usize..range.end as usize]
    }

    fn chairs(&self, range: &Range<u32>) -> &[Chair] {
        &self.chairs[range.start as usize..range.end as usize]
    }
}

fn nearest_of_tiers(chairs: &[Chair]) -> Box<[(u16, u32)]> {
    let mut nearest: Vec<(u16, u32)> =
        chairs.iter().map(|chair| (chair.tier, chair.distance)).collect();
    nearest.sort_unstable();
    nearest.dedup_by_key(|(tier, _)| *tier);
    nearest.into()
}
