//! The seats of a plan, packed: eight bytes each, and the text of their labels in one string. Where
//! they lie is only in the [`Seating`](crate::seating::Seating)s, which nothing else has to know.

use std::sync::Arc;

use crate::id::{SeatIndex, SectionIndex};
use crate::seating::Spot;

/// One seat, as a plan is made of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatPlan {
    /// Unique in the event: what people and requests call it.
    pub label: Box<str>,
    /// The row's name, best one copy for all its seats. Printed, not computed with: a section may
    /// have several rows of one name, and neighbours in a row need not be neighbours by number.
    pub row: Arc<str>,
    /// On the plan, from left to right, in its own unit; finite.
    pub x: f32,
    /// On the plan, from top to bottom, in the same unit; finite.
    pub y: f32,
    /// Where it belongs.
    pub section: SectionIndex,
    /// Its price class.
    pub tier: u16,
    /// Fit for a wheelchair.
    pub accessible: bool,
}

/// One seat, as a plan shows it.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'p> {
    /// Where it belongs.
    pub section: SectionIndex,
    /// Its price class.
    pub tier: u16,
    index: usize,
    seats: &'p Packed,
}

impl<'p> Seat<'p> {
    /// Unique in the event: what people and requests call it. Looked up only when asked for, since
    /// decisions have no use for it.
    #[must_use]
    pub fn label(&self) -> &'p str {
        self.seats.label(self.index)
    }
}

/// What a plan is made of, collected seat by seat in index order: 40 bytes a seat and its label's
/// text, until there is the plan.
#[derive(Debug, Default)]
pub struct Seats {
    pub(super) packed: Packed,
    pub(super) spots: Vec<Spot>,
    /// Ascending.
    pub(super) dropped: Vec<SeatIndex>,
}

impl Seats {
    /// The next seat.
    ///
    /// # Panics
    /// If all labels together have 4 GiB.
    pub fn push(&mut self, seat: SeatPlan) {
        let SeatPlan { label, row, x, y, section, tier, accessible } = seat;
        self.packed.push(&label, section, tier);
        self.spots.push(Spot { row, x, y, tier, accessible });
    }

    /// The next seat, which an earlier version of the hall's plan had and this one has not: it keeps its
    /// index and is never for sale.
    ///
    /// # Panics
    /// As [`Seats::push`].
    pub fn push_dropped(&mut self, seat: SeatPlan) {
        let index = u32::try_from(self.packed.len()).expect("a plan's seats fit");
        self.dropped.push(SeatIndex(index));
        self.push(seat);
    }

    /// The seat at this index, if so many have been collected.
    #[must_use]
    pub fn get(&self, index: SeatIndex) -> Option<Seat<'_>> {
        let index = index.0 as usize;
        (index < self.packed.len()).then(|| self.packed.seat(index))
    }
}

impl FromIterator<SeatPlan> for Seats {
    fn from_iter<I: IntoIterator<Item = SeatPlan>>(seats: I) -> Self {
        let mut collected = Self::default();
        seats.into_iter().for_each(|seat| collected.push(seat));
        collected
    }
}

/// What is kept of the seats, by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    /// All labels, one behind the other.
    labels: String,
    seats: Vec<PackedSeat>,
}

#[derive(Clone, Copy, Debug)]
struct PackedSeat {
    /// In the text of all labels; it begins where the one before ends.
    label_end: u32,
    section: SectionIndex,
    tier: u16,
}

impl Packed {
    fn push(&mut self, label: &str, section: SectionIndex, tier: u16) {
        self.labels.push_str(label);
        let label_end = u32::try_from(self.labels.len()).expect("labels have less than 4 GiB");
        self.seats.push(PackedSeat { label_end, section, tier });
    }

    pub(super) fn len(&self) -> usize {
        self.seats.len()
    }

    pub(super) fn seat(&self, index: usize) -> Seat<'_> {
        let PackedSeat { section, tier, .. } = self.seats[index];
        Seat { section, tier, index, seats: self }
    }

    pub(super) fn label(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.seats[before].label_end);
        &self.labels[start as usize..self.seats[index].label_end as usize]
    }

    #[cfg(test)]
    pub(super) fn allocated(&self) -> usize {
        self.labels.capacity() + self.seats.capacity() * size_of::<PackedSeat>()
    }
}
