//! Whether a section has room for a new hold, and which overdue holds must end to make it.

use smallvec::SmallVec;

use super::Unsettled;
use super::seats::Cell;
use super::state::{Section, Stock};
use crate::hold::{HoldStatus, Portion};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;
use crate::refusal::Refusal;

/// A new hold's portion here, and the overdue holds that end to make room for it.
pub(super) struct Room {
    pub(super) overdue: SmallVec<[HoldId; 2]>,
    pub(super) portion: Portion,
}

impl Section {
    /// The overdue holds that stand in these seats, or the seats that cannot be had, all of them.
    pub(super) fn room_in_seats(
        &self,
        now: Moment,
        seats: &[SeatIndex],
        accept_fewer: bool,
    ) -> Result<Result<Room, Refusal>, Unsettled> {
        let mut overdue = SmallVec::new();
        let mut taken = Vec::new();
        for seat in seats {
            if self.prepared.touches_seat(*seat) {
                return Err(Unsettled);
            }
            match self.seat(*seat) {
                Cell::Available => {}
                Cell::Held(hold) if self.status(now, hold)? == HoldStatus::Expired => {
                    if !overdue.contains(&hold) {
                        overdue.push(hold);
                    }
                }
                Cell::Held(_) | Cell::Sold | Cell::Blocked => taken.push(*seat),
            }
        }
        if taken.len() == seats.len() || (!taken.is_empty() && !accept_fewer) {
            return Ok(Err(Refusal::SeatsUnavailable { seats: taken, sections: Vec::new() }));
        }
        let free = seats.iter().filter(|seat| !taken.contains(seat)).copied().collect();
        Ok(Ok(Room { overdue, portion: Portion::Seats(free) }))
    }

    /// The overdue holds that must end to make so many places free, soonest end first.
    pub(super) fn room_in_places(
        &self,
        now: Moment,
        quantity: u32,
        accept_fewer: bool,
    ) -> Result<Result<Room, Refusal>, Unsettled> {
        let refused = Refusal::SeatsUnavailable { seats: Vec::new(), sections: vec![self.index] };
        let Stock::General { capacity, held, sold } = &self.stock else {
            return Ok(Err(refused));
        };
        if self.prepared.capacity.is_some() {
            return Err(Unsettled);
        }
        // Those that a prepared hold takes are not given to anybody else; it may be given up yet.
        let mut unsure = self.prepared.reserved + self.prepared.leaving;
        let mut free = capacity - held - sold - self.prepared.reserved;
        let mut overdue = SmallVec::new();
        for (expires_at, hold) in &self.ends {
            if free >= quantity || now < *expires_at {
                break;
            }
            let places = self.holds[hold].portion.quantity();
            if self.prepared.touches_hold(*hold) {
                unsure += places;
            } else {
                free += places;
                overdue.push(*hold);
            }
        }
        let portion = Portion::Places(quantity.min(free));
        match free {
            _ if free >= quantity => Ok(Ok(Room { overdue, portion })),
            _ if free + unsure >= quantity || (accept_fewer && unsure > 0) => Err(Unsettled),
            1.. if accept_fewer => Ok(Ok(Room { overdue, portion })),
            _ => Ok(Err(refused)),
        }
    }
}
