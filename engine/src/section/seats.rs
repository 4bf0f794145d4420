//! Who has each seat of a section, in four bytes a seat. The ids of holds stand in a table beside
//! the seats, and only of those that have seats now: who bought a seat stands in the event's book.

use crate::id::HoldId;

/// What a seat is, as far as its section has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Nobody's.
    Available,
    /// A hold's, which may be over by the clock.
    Held(HoldId),
    /// Sold.
    Sold,
    /// Not for sale.
    Blocked,
}

const AVAILABLE: u32 = u32::MAX;
const SOLD: u32 = u32::MAX - 1;
const BLOCKED: u32 = u32::MAX - 2;

/// All seats of a section, by place.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    /// One of the above, or where in the table the seat's holder stands.
    cells: Box<[u32]>,
    /// A hold stands here twice if its seats were put back one here, one there; no harm is in that.
    holders: Vec<Holder>,
    /// Whose turn it was last: a hold takes all its seats in one go.
    latest: u32,
    /// Where the table has holders without seats.
    vacant: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    hold: HoldId,
    /// So many cells point here.
    seats: u32,
}

impl Seats {
    /// So many, all available.
    pub(super) fn new(seats: u32) -> Self {
        let cells = vec![AVAILABLE; seats as usize].into();
        Self { cells, holders: Vec::new(), latest: 0, vacant: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The seat at this place, which must be there.
    pub(super) fn get(&self, place: usize) -> Cell {
        match self.cells[place] {
            AVAILABLE => Cell::Available,
            SOLD => Cell::Sold,
            BLOCKED => Cell::Blocked,
            holder => Cell::Held(self.holders[holder as usize].hold),
        }
    }

    /// Makes the seat at this place, which must be there, what it is to be; what it was.
    pub(super) fn replace(&mut self, place: usize, becomes: Cell) -> Cell {
        let was = self.get(place);
        let becomes = match becomes {
            Cell::Available => AVAILABLE,
            Cell::Sold => SOLD,
            Cell::Blocked => BLOCKED,
            Cell::Held(hold) => self.enter(hold),
        };
        match std::mem::replace(&mut self.cells[place], becomes) {
            AVAILABLE | SOLD | BLOCKED => {}
            holder => self.leave(holder),
        }
        was
    }

    /// One more seat for the hold; where it stands.
    fn enter(&mut self, hold: HoldId) -> u32 {
        let latest = self.holders.get_mut(self.latest as usize);
        if let Some(holder) = latest.filter(|holder| holder.hold == hold && holder.seats > 0) {
            holder.seats += 1;
            return self.latest;
        }
        let holder = Holder { hold, seats: 1 };
        self.latest = if let Some(vacant) = self.vacant.pop() {
            self.holders[vacant as usize] = holder;
            vacant
        } else {
            self.holders.push(holder);
            self.holders.len() as u32 - 1
        };
        self.latest
    }

    /// One seat less for the hold that stands here.
    fn leave(&mut self, holder: u32) {
        let seats = &mut self.holders[holder as usize].seats;
        *seats -= 1;
        if *seats == 0 {
            self.vacant.push(holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buyer::BuyerId;
    use crate::id::EventNumber;

    fn hold(number: u32) -> HoldId {
        let buyer = BuyerId::parse("ann").expect("a name");
        HoldId::derive(EventNumber(1), &buyer, &number.to_string())
    }

    #[test]
    fn seats_are_what_they_were_made_last() {
        let mut seats = Seats::new(5);
        let (one, other) = (hold(1), hold(2));
        let cells =
            [Cell::Held(one), Cell::Held(other), Cell::Sold, Cell::Held(one), Cell::Blocked];
        for _ in 0..2 {
            for shift in 0..cells.len() {
                let moved = |place: usize| cells[(place + shift) % cells.len()];
                (0..5).for_each(|place| {
                    seats.replace(place, moved(place));
                });
                assert!((0..5).all(|place| seats.get(place) == moved(place)), "{seats:?}");
            }
            let was: Vec<Cell> =
                (0..5).map(|place| seats.replace(place, Cell::Available)).collect();
            assert_eq!(was, [4, 0, 1, 2, 3].map(|cell| cells[cell]));
            assert!((0..5).all(|place| seats.get(place) == Cell::Available));
        }
    }

    #[test]
    fn a_seat_takes_four_bytes_and_however_often_it_is_held_the_table_does_not_grow() {
        let mut seats = Seats::new(1_000);
        for number in 0..10_000 {
            let first = number as usize % 250 * 4;
            for place in first..first + 4 {
                seats.replace(place, Cell::Held(hold(number)));
            }
        }
        assert_eq!((seats.holders.len(), seats.vacant.len()), (251, 1));
        for place in 0..1_000 {
            seats.replace(place, Cell::Sold);
        }
        assert_eq!(size_of_val(&*seats.cells), 4 * 1_000);
        assert_eq!((seats.holders.len(), seats.vacant.len()), (251, 251));
    }
}
