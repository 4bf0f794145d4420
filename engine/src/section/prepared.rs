//! What is granted here and not yet settled. Nobody else's command is refused because of it, and none
//! is granted that contradicts it.

use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;

use super::{ErrandId, SectionEvent};
use crate::hold::Portion;
use crate::id::{HoldId, SeatIndex};

/// One errand's preparation.
#[derive(Clone, Debug)]
struct Preparation {
    /// What happens if it is granted.
    events: SmallVec<[SectionEvent; 2]>,
    /// Whose portion moves; nobody's, of what an operator does.
    hold: Option<HoldId>,
    /// What moves then.
    portion: Portion,
}

/// All preparations of a section. They touch no seat in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    errands: HashMap<ErrandId, Preparation>,
    holds: HashSet<HoldId>,
    seats: HashSet<SeatIndex>,
    /// Places that a new hold takes if it is granted.
    pub(super) reserved: u32,
    /// Places of older holds that come free, or are sold, if that is granted.
    pub(super) leaving: u32,
    /// The capacity that the section gets if that is granted.
    pub(super) capacity: Option<u32>,
}

impl Prepared {
    /// Whether this seat may yet change hands.
    pub(super) fn touches_seat(&self, seat: SeatIndex) -> bool {
        !self.seats.is_empty() && self.seats.contains(&seat)
    }

    /// Whether this hold may yet end or change.
    pub(super) fn touches_hold(&self, hold: HoldId) -> bool {
        !self.holds.is_empty() && self.holds.contains(&hold)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errands.is_empty()
    }

    /// Notes what an errand does to this portion once it is granted.
    pub(super) fn add(
        &mut self,
        errand: ErrandId,
        hold: Option<HoldId>,
        portion: Portion,
        events: SmallVec<[SectionEvent; 2]>,
    ) {
        let takes = events.iter().any(|event| matches!(event, SectionEvent::HoldPlaced { .. }));
        match &portion {
            Portion::Seats(seats) => self.seats.extend(seats),
            Portion::Places(quantity) if takes => self.reserved += quantity,
            Portion::Places(quantity) => self.leaving += quantity,
        }
        self.holds.extend(hold);
        let before = self.errands.insert(errand, Preparation { events, hold, portion });
        assert!(before.is_none(), "{errand:?} is prepared twice");
    }

    /// Forgets the errand's preparation and gives back what was to happen; nothing, if it had been
    /// refused here.
    pub(super) fn settle(&mut self, errand: ErrandId) -> SmallVec<[SectionEvent; 2]> {
        let Some(Preparation { events, hold, portion }) = self.errands.remove(&errand) else {
            return SmallVec::new();
        };
        let takes = events.iter().any(|event| matches!(event, SectionEvent::HoldPlaced { .. }));
        match &portion {
            Portion::Seats(seats) => seats.iter().for_each(|seat| {
                self.seats.remove(seat);
            }),
            Portion::Places(quantity) if takes => self.reserved -= quantity,
            Portion::Places(quantity) => self.leaving -= quantity,
        }
        if let Some(hold) = hold {
            self.holds.remove(&hold);
        } else {
            self.capacity = None;
        }
        events
    }
}
