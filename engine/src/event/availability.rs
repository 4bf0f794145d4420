//! What everybody may see of an event's seats: durable changes only, published in ticks.

mod history;

use std::sync::Arc;

pub use self::history::History;
use super::batch::Change;
use super::fact::Places;
use super::lane::Executed;
use crate::id::{SeatIndex, SectionIndex, Sequence};
use crate::moment::Moment;
use crate::plan::Plan;
use crate::section::SeatState;

/// How many seats or places of a section are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionCount {
    /// Free to be held.
    pub available: u32,
    /// By living holds.
    pub held: u32,
    /// For good.
    pub sold: u32,
    /// Not for sale.
    pub blocked: u32,
}

/// One published version of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// The event's sequence at the tick; grows from version to version.
    pub version: Sequence,
    /// When it was published.
    pub as_of: Moment,
    /// When the first of what is new in it was durable.
    pub changed_at: Moment,
    /// Two bits a seat, least significant first: 0 available, 1 held, 2 sold, 3 blocked.
    pub packed: Vec<u8>,
    /// Counts, in section order.
    pub sections: Vec<SectionCount>,
}

/// Of so many holds one is given up: with a line before the door, nearly all who hold buy.
const GIVEN_UP_OF: u32 = 5;

impl Availability {
    /// What this seat is, as it is packed.
    #[must_use]
    pub fn state(&self, seat: SeatIndex) -> u8 {
        let index = seat.0 as usize;
        self.packed[index / 4] >> (2 * (index % 4)) & 0b11
    }

    /// What can be had, and what is likely to come back of what is held.
    #[must_use]
    pub fn likely_stock(&self) -> u32 {
        self.sections.iter().map(|it| it.available + it.held / GIVEN_UP_OF).sum()
    }
}

/// The durable map of an event, as its owner keeps it.
#[derive(Debug)]
pub(super) struct Map {
    latest: Availability,
    plan: Arc<Plan>,
    capacities: Vec<u32>,
    news: News,
}

/// What no published version shows yet.
#[derive(Clone, Copy, Debug)]
enum News {
    None,
    /// Nothing has been published at all.
    Everything,
    /// Something that was durable then, and perhaps more.
    Since(Moment),
}

impl Map {
    /// The map of an event whose rows say this.
    pub(super) fn new(
        plan: &Arc<Plan>,
        version: Sequence,
        seats: &[(SeatIndex, SeatState)],
        places: &[(SectionIndex, Places)],
    ) -> Self {
        let capacities: Vec<u32> = plan.sections().iter().map(|s| s.capacity()).collect();
        let sections = capacities
            .iter()
            .map(|capacity| SectionCount { available: *capacity, ..SectionCount::default() })
            .collect();
        let mut map = Self {
            latest: Availability {
                version,
                as_of: Moment(0),
                changed_at: Moment(0),
                packed: vec![0; plan.seats().len().div_ceil(4)],
                sections,
            },
            plan: Arc::clone(plan),
            capacities,
            news: News::Everything,
        };
        for (seat, state) in seats {
            map.set_seat(*seat, Change { was: SeatState::Available, becomes: *state });
        }
        for (section, places) in places {
            map.set_places(*section, *places);
        }
        map
    }

    /// Takes in what a commit, of now, set free.
    pub(super) fn apply<R>(&mut self, now: Moment, executed: &Executed<R>) {
        for (seat, change) in &executed.seats {
            self.set_seat(*seat, *change);
        }
        for (section, change) in &executed.capacities {
            self.set_capacity(*section, change.becomes);
        }
        for (section, change) in &executed.places {
            self.set_places(*section, change.becomes);
        }
        if !executed.seats.is_empty()
            || !executed.places.is_empty()
            || !executed.capacities.is_empty()
        {
            self.news = match self.news {
                News::None => News::Since(now),
                before @ (News::Everything | News::Since(_)) => before,
            };
        }
        self.latest.version = executed.sequence;
    }

    /// The next version, if anything changed since the last.
    pub(super) fn tick(&mut self, now: Moment) -> Option<Availability> {
        self.latest.changed_at = match std::mem::replace(&mut self.news, News::None) {
            News::None => return None,
            News::Everything => now,
            News::Since(then) => then,
        };
        self.latest.as_of = now;
        Some(self.latest.clone())
    }

    fn set_seat(&mut self, seat: SeatIndex, change: Change<SeatState>) {
        let index = seat.0 as usize;
        let shift = 2 * (index % 4);
        let byte = &mut self.latest.packed[index / 4];
        *byte = (*byte & !(0b11 << shift)) | (code(change.becomes) << shift);
        let section = &mut self.latest.sections[usize::from(self.plan.seat(seat).section.0)];
        *count(section, change.was) -= 1;
        *count(section, change.becomes) += 1;
    }

    fn set_capacity(&mut self, section: SectionIndex, capacity: u32) {
        let at = usize::from(section.0);
        self.capacities[at] = capacity;
        let SectionCount { held, sold, .. } = self.latest.sections[at];
        // A batch that also ends holds says next how many are left.
        self.latest.sections[at].available = capacity.saturating_sub(held + sold);
    }

    fn set_places(&mut self, section: SectionIndex, places: Places) {
        let at = usize::from(section.0);
        self.latest.sections[at] = SectionCount {
            // Rows that say more than there is are kept apart, and shown as sold out.
            available: self.capacities[at].saturating_sub(places.held + places.sold),
            held: places.held,
            sold: places.sold,
            blocked: 0,
        };
    }
}

fn code(state: SeatState) -> u8 {
    match state {
        SeatState::Available => 0,
        SeatState::Held(_) => 1,
        SeatState::Sold(_) => 2,
        SeatState::Blocked => 3,
    }
}

fn count(section: &mut SectionCount, state: SeatState) -> &mut u32 {
    match state {
        SeatState::Available => &mut section.available,
        SeatState::Held(_) => &mut section.held,
        SeatState::Sold(_) => &mut section.sold,
        SeatState::Blocked => &mut section.blocked,
    }
}
