//! The best seats side by side.

use std::ops::Range;

use super::cost::{self, Cost, Drawbacks};
use super::runs::{self, Run};
use super::{Choice, ChoiceWish, Reason, Seating, Stretch};

/// Looks at every window of so many seats, the nearest stretches first, until no other can be
/// better: `n` in the seats at worst.
pub(super) fn find(
    seating: &Seating,
    wish: &ChoiceWish,
    taken: &impl Fn(u32) -> bool,
) -> Option<Choice> {
    if wish.quantity == 0 {
        return None;
    }
    let mut search = Search { seating, wish, best: None, nearest: u64::MAX };
    for stretch in &seating.stretches {
        if search.is_settled(stretch) {
            break;
        }
        if stretch.chairs().len() >= wish.quantity as usize {
            runs::each(seating, stretch, wish, taken, |run| search.weigh(&run));
        }
    }
    search.choice()
}

struct Search<'a> {
    seating: &'a Seating,
    wish: &'a ChoiceWish,
    best: Option<Best>,
    /// The least sum of distances, at whatever cost.
    nearest: u64,
}

struct Best {
    cost: Cost,
    distances: u64,
    seats: Range<u32>,
    row: u32,
}

impl Search<'_> {
    /// Whether no seats of this stretch, or of a later one, can cost less.
    fn is_settled(&self, stretch: &Stretch) -> bool {
        let least = u64::from(stretch.nearest) * u64::from(self.wish.quantity);
        self.best.as_ref().is_some_and(|best| least > best.cost.sum)
    }

    fn weigh(&mut self, run: &Run) {
        let quantity = self.wish.quantity;
        let chairs = self.seating.chairs(&run.fit);
        if chairs.len() < quantity as usize {
            return;
        }
        let (first, later) = chairs.split_at(quantity as usize);
        let mut distances: u64 = first.iter().map(|chair| u64::from(chair.distance)).sum();
        let mut accessible: u32 = first.iter().map(|chair| u32::from(chair.accessible)).sum();
        let mut at = run.fit.start;
        let mut leaves = chairs.iter();
        let mut joins = later.iter();
        loop {
            let window = Window { distances, accessible, seats: at..at + quantity };
            self.offer(run, window);
            let (Some(leaving), Some(joining)) = (leaves.next(), joins.next()) else { break };
            distances = distances - u64::from(leaving.distance) + u64::from(joining.distance);
            accessible = accessible - u32::from(leaving.accessible) + u32::from(joining.accessible);
            at += 1;
        }
    }

    fn offer(&mut self, run: &Run, window: Window) {
        let Window { distances, accessible, seats } = window;
        if self.wish.accessible && accessible == 0 {
            return;
        }
        let (left, right) = (seats.start - run.free.start, run.free.end - seats.end);
        let orphans = u32::from(left == 1) + u32::from(right == 1);
        let first = self.seating.chairs[seats.start as usize].place;
        let against = Drawbacks { orphans, accessible, alone: 0, apart: 0 };
        let cost = Cost::new(distances, self.wish.quantity, against, first);
        self.nearest = self.nearest.min(distances);
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(Best { cost, distances, seats, row: run.row });
        }
    }

    fn choice(self) -> Option<Choice> {
        let best = self.best?;
        let reason = if self.wish.accessible {
            Reason::Accessible
        } else if best.distances > self.nearest {
            Reason::AvoidsSingleSeats
        } else if self.wish.quantity == 1 {
            Reason::Nearest
        } else {
            Reason::NearestTogether
        };
        Some(Choice {
            places: self.seating.chairs(&best.seats).iter().map(|chair| chair.place).collect(),
            row: self.seating.rows[best.row as usize].clone(),
            distance: cost::in_seats(best.distances, self.wish.quantity),
            split: false,
            orphans: best.cost.orphans,
            reason,
        })
    }
}

/// So many seats of a run.
struct Window {
    distances: u64,
    accessible: u32,
    seats: Range<u32>,
}
