//! From labels to seats. The labels themselves are the seats'; here is only a table of indexes, 5 to
//! 11 bytes a seat, so that a stadium's labels are in memory once.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use super::SeatPlan;
use crate::id::SeatIndex;
use crate::name::canonical;

/// Finds seats by their labels' canonical form.
#[derive(Debug)]
pub(super) struct Labels {
    seats: HashTable<u32>,
    hasher: RandomState,
}

impl Labels {
    /// Of these seats, in index order.
    pub(super) fn of(seats: &[SeatPlan]) -> Self {
        let hasher = RandomState::new();
        let hash = |seat: &SeatPlan| hasher.hash_one(&*canonical(&seat.label));
        let mut table = HashTable::with_capacity(seats.len());
        for (index, seat) in (0..).zip(seats) {
            table.insert_unique(hash(seat), index, |other: &u32| hash(&seats[*other as usize]));
        }
        Self { seats: table, hasher }
    }

    /// The seat of this label; `seats` are those that the table was made of.
    pub(super) fn find(&self, label: &str, seats: &[SeatPlan]) -> Option<SeatIndex> {
        let label = canonical(label);
        let is_it = |index: &u32| canonical(&seats[*index as usize].label) == label;
        self.seats.find(self.hasher.hash_one(&*label), is_it).copied().map(SeatIndex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stadiums_labels_are_found_by_eleven_bytes_a_seat() {
        let seat = |n: u32| SeatPlan { label: n.to_string().into(), ..SeatPlan::default() };
        let seats: Vec<SeatPlan> = (0..60_000).map(seat).collect();
        assert!(Labels::of(&seats).seats.allocation_size() <= 11 * seats.len());
    }
}
