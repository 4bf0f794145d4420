//! What a section remembers: who has each seat, and which holds are alive.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::SectionEvent;
use super::prepared::Prepared;
use super::seats::{Cell, Seats};
use crate::hold::Portion;
use crate::id::{HoldId, SeatIndex, SectionIndex};
use crate::moment::Moment;
use crate::plan::{Plan, SectionKind};
use crate::seating::Seating;

/// Who has a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeatState {
    /// Nobody.
    Available,
    /// A hold, which may be over by the clock.
    Held(HoldId),
    /// The hold it was bought with.
    Sold(HoldId),
    /// Not for sale.
    Blocked,
}

/// What a section's stored rows contradict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Breach {
    /// In words, naming the row.
    pub what: String,
}

/// The living hold as its section knows it.
#[derive(Clone, Debug)]
pub(super) struct LiveHold {
    pub(super) portion: Portion,
    pub(super) expires_at: Moment,
}

/// Where the section's seats are kept.
#[derive(Clone, Debug)]
pub(super) enum Stock {
    Seated { first: SeatIndex, seats: Seats, room: Arc<Seating> },
    General { capacity: u32, held: u32, sold: u32 },
}

/// One section in memory.
#[derive(Clone, Debug)]
pub struct Section {
    pub(super) index: SectionIndex,
    pub(super) stock: Stock,
    pub(super) holds: HashMap<HoldId, LiveHold>,
    /// The same holds, soonest end first.
    pub(super) ends: BTreeSet<(Moment, HoldId)>,
    pub(super) prepared: Prepared,
}

impl Section {
    /// The plan's section at this index, of which nothing is held or sold.
    #[must_use]
    pub fn new(plan: &Plan, index: SectionIndex) -> Self {
        let stock = match (plan.section(index).kind, plan.seating(index)) {
            (SectionKind::Seated { first, seats }, Some(room)) => {
                Stock::Seated { first, seats: Seats::new(seats), room: Arc::clone(room) }
            }
            (SectionKind::General { capacity }, None) => {
                Stock::General { capacity, held: 0, sold: 0 }
            }
            (SectionKind::Seated { .. }, None) | (SectionKind::General { .. }, Some(_)) => {
                unreachable!("seated sections, and no others, have a room")
            }
        };
        let (holds, ends) = (HashMap::new(), BTreeSet::new());
        Self { index, stock, holds, ends, prepared: Prepared::default() }
    }

    /// The section's place in the plan.
    #[must_use]
    pub fn index(&self) -> SectionIndex {
        self.index
    }

    /// Puts a stored seat back in place while a section is rebuilt.
    ///
    /// # Errors
    /// [`Breach`] if the seat is not one of this section's.
    pub fn restore_seat(&mut self, seat: SeatIndex, state: SeatState) -> Result<(), Breach> {
        let cell = match state {
            SeatState::Available => Cell::Available,
            SeatState::Held(hold) => Cell::Held(hold),
            SeatState::Sold(_) => Cell::Sold,
            SeatState::Blocked => Cell::Blocked,
        };
        self.replace(seat, cell).map(drop)
    }

    /// Puts the stored number of sold places back while a general section is rebuilt.
    ///
    /// # Errors
    /// [`Breach`] if the section is seated or has not so many places.
    pub fn restore_sold(&mut self, places: u32) -> Result<(), Breach> {
        match &mut self.stock {
            Stock::General { capacity, sold, .. } if places <= *capacity => {
                *sold = places;
                Ok(())
            }
            Stock::General { .. } | Stock::Seated { .. } => {
                Err(Breach { what: format!("{:?} cannot have {places} places sold", self.index) })
            }
        }
    }

    /// Puts a living hold back while a section is rebuilt, after its seats.
    ///
    /// # Errors
    /// [`Breach`] if the seats say otherwise.
    pub fn restore_hold(
        &mut self,
        hold: HoldId,
        portion: Portion,
        expires_at: Moment,
    ) -> Result<(), Breach> {
        match &portion {
            Portion::Seats(seats) => {
                for seat in seats {
                    let (seats, place) = self.find_seat(*seat)?;
                    let cell = seats.get(place);
                    if cell != Cell::Held(hold) {
                        return Err(Breach {
                            what: format!("{hold:?} is active, but its {seat:?} is {cell:?}"),
                        });
                    }
                }
            }
            Portion::Places(quantity) => match &mut self.stock {
                Stock::General { capacity, held, sold }
                    if *held + *sold + quantity <= *capacity =>
                {
                    *held += quantity;
                }
                Stock::General { .. } | Stock::Seated { .. } => {
                    return Err(Breach {
                        what: format!("{hold:?} has {quantity} places that {:?} lacks", self.index),
                    });
                }
            },
        }
        self.remember(hold, portion, expires_at);
        Ok(())
    }

    /// The hold stays as it is, even once its time has come.
    pub fn freeze(&mut self, hold: HoldId) {
        if let Some(live) = self.holds.get_mut(&hold) {
            self.ends.remove(&(live.expires_at, hold));
            live.expires_at = Moment(i64::MAX);
        }
    }

    /// Makes a section event so.
    ///
    /// # Panics
    /// If the event does not follow from this state: only what [`Section::decide`] said of this very
    /// state is applied, so this is a bug, and the owner must die of it.
    pub fn apply(&mut self, event: &SectionEvent) {
        match event {
            SectionEvent::HoldPlaced { hold, portion, expires_at, .. } => {
                self.change(portion, Cell::Available, Cell::Held(*hold));
                self.remember(*hold, portion.clone(), *expires_at);
            }
            SectionEvent::Offered { .. } => {}
            SectionEvent::HoldReduced { hold, portion } => {
                self.change(portion, Cell::Held(*hold), Cell::Available);
                self.reduce(*hold, portion);
            }
            SectionEvent::HoldExtended { hold, expires_at } => {
                let live = self.holds.get_mut(hold).expect("only a living hold is extended");
                self.ends.remove(&(live.expires_at, *hold));
                live.expires_at = *expires_at;
                self.ends.insert((*expires_at, *hold));
            }
            SectionEvent::HoldReleased(hold) | SectionEvent::HoldExpired(hold) => {
                let portion = self.forget(*hold);
                self.change(&portion, Cell::Held(*hold), Cell::Available);
            }
            SectionEvent::HoldConverted(hold) => {
                let portion = self.forget(*hold);
                self.change(&portion, Cell::Held(*hold), Cell::Sold);
            }
            SectionEvent::TicketsReturned { portion, off_sale, .. } => {
                let becomes = if *off_sale { Cell::Blocked } else { Cell::Available };
                self.change(portion, Cell::Sold, becomes);
            }
            SectionEvent::SeatsBlocked(seats) => {
                self.change_seats(seats, Cell::Available, Cell::Blocked);
            }
            SectionEvent::SeatsUnblocked(seats) => {
                self.change_seats(seats, Cell::Blocked, Cell::Available);
            }
            SectionEvent::CapacitySet(becomes) => match &mut self.stock {
                Stock::General { capacity, held, sold } => {
                    assert!(*held + *sold <= *becomes, "{:?} would be oversold", self.index);
                    *capacity = *becomes;
                }
                Stock::Seated { .. } => panic!("{:?} has seats, not a capacity", self.index),
            },
        }
    }

    fn remember(&mut self, hold: HoldId, portion: Portion, expires_at: Moment) {
        let before = self.holds.insert(hold, LiveHold { portion, expires_at });
        assert!(before.is_none(), "{hold:?} is placed twice");
        self.ends.insert((expires_at, hold));
    }

    fn forget(&mut self, hold: HoldId) -> Portion {
        let live = self.holds.remove(&hold).expect("only a living hold ends");
        self.ends.remove(&(live.expires_at, hold));
        live.portion
    }

    /// A hold that has nothing left here is not known here any more.
    fn reduce(&mut self, hold: HoldId, by: &Portion) {
        let live = self.holds.get_mut(&hold).expect("only a living hold is reduced");
        match (&mut live.portion, by) {
            (Portion::Seats(seats), Portion::Seats(given_back)) => {
                seats.retain(|seat| !given_back.contains(seat));
            }
            (Portion::Places(places), Portion::Places(given_back)) => *places -= given_back,
            (portion, _) => panic!("{hold:?} has {portion:?}, not {by:?}"),
        }
        if live.portion.quantity() == 0 {
            self.forget(hold);
        }
    }

    fn change(&mut self, portion: &Portion, was: Cell, becomes: Cell) {
        match portion {
            Portion::Seats(seats) => self.change_seats(seats, was, becomes),
            Portion::Places(quantity) => {
                let Stock::General { capacity, held, sold } = &mut self.stock else {
                    panic!("{:?} has seats, not places", self.index);
                };
                for (state, sign) in [(was, -1_i64), (becomes, 1)] {
                    let count = match state {
                        Cell::Held(_) => &mut *held,
                        Cell::Sold => &mut *sold,
                        Cell::Available | Cell::Blocked => continue,
                    };
                    *count = u32::try_from(i64::from(*count) + sign * i64::from(*quantity))
                        .expect("a count of places is never negative");
                }
                assert!(*held + *sold <= *capacity, "{:?} is oversold", self.index);
            }
        }
    }

    fn change_seats(&mut self, seats: &[SeatIndex], was: Cell, becomes: Cell) {
        for seat in seats {
            let before = self.replace(*seat, becomes).expect("a decided seat is in its section");
            assert_eq!(before, was, "{seat:?} is not what the decision saw");
        }
    }

    /// Makes the seat what it is to be; what it was.
    fn replace(&mut self, seat: SeatIndex, becomes: Cell) -> Result<Cell, Breach> {
        let (_, place) = self.find_seat(seat)?;
        match &mut self.stock {
            Stock::Seated { seats, .. } => Ok(seats.replace(place, becomes)),
            Stock::General { .. } => unreachable!("a general section has no seat to find"),
        }
    }

    /// The seat, which a decision is about and the door has sent to its section.
    pub(super) fn seat(&self, seat: SeatIndex) -> Cell {
        match self.find_seat(seat) {
            Ok((seats, place)) => seats.get(place),
            Err(breach) => panic!("{breach}"),
        }
    }

    /// The section's seats, and which of them this one is.
    fn find_seat(&self, seat: SeatIndex) -> Result<(&Seats, usize), Breach> {
        let found = match &self.stock {
            Stock::Seated { first, seats, .. } => seat
                .0
                .checked_sub(first.0)
                .map(|place| (seats, place as usize))
                .filter(|(_, place)| *place < seats.len()),
            Stock::General { .. } => None,
        };
        let stray = || Breach { what: format!("{seat:?} does not lie in {:?}", self.index) };
        found.ok_or_else(stray)
    }
}
