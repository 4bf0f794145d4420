//! The best seats of a section at an instant: what [`Seating`](crate::seating::Seating) finds among
//! those that nobody has. An overdue hold has its seats no longer; whoever takes one of them ends it.

use smallvec::SmallVec;

use super::decide::Unsettled;
use super::seats::Cell;
use super::state::{Section, Stock};
use crate::hold::{Choice, HoldStatus};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;
use crate::refusal::Refusal;
use crate::seating::ChoiceWish;

/// Seats that were found.
pub(super) struct Chosen {
    /// The overdue holds that end to make room for them.
    pub(super) overdue: SmallVec<[HoldId; 2]>,
    /// In the order in which people sit.
    pub(super) seats: Vec<SeatIndex>,
    /// Why these.
    pub(super) choice: Choice,
}

impl Section {
    /// The best seats for the wish; for whom fewer will do, of the largest number that can be had.
    pub(super) fn choose_some(
        &self,
        now: Moment,
        wish: ChoiceWish,
        accept_fewer: bool,
    ) -> Result<Result<Chosen, Refusal>, Unsettled> {
        let least = if accept_fewer { 1 } else { wish.quantity };
        for quantity in (least..=wish.quantity).rev() {
            if let Some(chosen) = self.choose(now, &ChoiceWish { quantity, ..wish })? {
                return Ok(Ok(chosen));
            }
        }
        Ok(Err(self.nothing_left()))
    }

    /// The best seats for the wish, if it can be met. What is prepared for somebody else is nobody's
    /// choice, but no reason to refuse either.
    pub(super) fn choose(
        &self,
        now: Moment,
        wish: &ChoiceWish,
    ) -> Result<Option<Chosen>, Unsettled> {
        let Stock::Seated { first, seats, room } = &self.stock else { return Ok(None) };
        let over = |hold: HoldId| self.holds.get(&hold).is_some_and(|it| now >= it.expires_at);
        let taken = |place: u32| match seats.get(place as usize) {
            Cell::Available => false,
            Cell::Held(hold) => !over(hold),
            Cell::Sold | Cell::Blocked => true,
        };
        // Of a hold that may yet end or change every seat is: nobody can end it meanwhile.
        let unsettled = |hold: HoldId| self.prepared.touches_hold(hold);
        let apart = |place: u32| {
            let held = matches!(seats.get(place as usize), Cell::Held(hold) if unsettled(hold));
            held || self.prepared.touches_seat(SeatIndex(first.0 + place))
        };
        let Some(found) = room.choose(wish, |place| taken(place) || apart(place)) else {
            // Would there be some if what is prepared were given up?
            let possible = || room.choose(wish, |place| taken(place) && !apart(place)).is_some();
            return if self.prepared.is_empty() || !possible() { Ok(None) } else { Err(Unsettled) };
        };
        let mut overdue = SmallVec::new();
        for place in &found.places {
            if let Cell::Held(hold) = seats.get(*place as usize)
                && !overdue.contains(&hold)
            {
                debug_assert_eq!(self.status(now, hold), Ok(HoldStatus::Expired));
                overdue.push(hold);
            }
        }
        Ok(Some(Chosen {
            overdue,
            seats: found.places.iter().map(|place| SeatIndex(first.0 + place)).collect(),
            choice: Choice {
                row: (*found.row).into(),
                distance: hundredths(found.distance),
                split: found.split,
                orphans: found.orphans,
                reason: found.reason,
            },
        }))
    }

    pub(super) fn nothing_left(&self) -> Refusal {
        Refusal::SeatsUnavailable { seats: Vec::new(), sections: vec![self.index] }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
fn hundredths(seats: f32) -> u32 {
    (seats * 100.0).round().clamp(0.0, 1e9) as u32
}
