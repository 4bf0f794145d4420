//! What an event has, counted: free and blocked seats, held and sold places. Each move is a fact, with
//! what was before it.

use std::sync::Arc;

use super::fact::{Fact, Places};
use crate::hold::Claim;
use crate::id::{SeatIndex, SectionIndex};
use crate::moment::Moment;
use crate::plan::Plan;
use crate::section::SeatState;

#[derive(Debug)]
pub(super) struct Stock {
    plan: Arc<Plan>,
    places: Vec<Places>,
    /// Of each section, the seats that nobody has, overdue holds counted as holds.
    free_seats: Vec<u32>,
    blocked: u32,
}

impl Stock {
    /// All of it free.
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        let places = vec![Places::default(); plan.sections().len()];
        let free_seats = plan.sections().iter().map(|section| section.capacity()).collect();
        Self { plan, places, free_seats, blocked: 0 }
    }

    /// Puts a stored count back.
    pub(super) fn restore_places(&mut self, section: SectionIndex, places: Places) {
        self.places[usize::from(section.0)] = places;
    }

    /// Puts a stored seat back, which is not available.
    pub(super) fn restore_seat(&mut self, seat: SeatIndex, state: SeatState) {
        *self.free_seats_of(seat) -= 1;
        self.blocked += u32::from(state == SeatState::Blocked);
    }

    /// Seats that are not for sale.
    pub(super) fn blocked(&self) -> u32 {
        self.blocked
    }

    /// How many seats of the section nobody has; those of overdue holds are not among them.
    pub(super) fn free_seats(&self, section: SectionIndex) -> u32 {
        self.free_seats[usize::from(section.0)]
    }

    /// Free seats are taken off sale.
    pub(super) fn block(&mut self, seats: &[SeatIndex], at: Moment, facts: &mut Vec<Fact>) {
        self.blocked += u32::try_from(seats.len()).expect("a plan's seats fit");
        self.move_seats(seats, SeatState::Available, SeatState::Blocked, facts);
        facts.push(Fact::SeatsBlocked { seats: seats.to_vec(), at });
    }

    /// Blocked seats are put back on sale.
    pub(super) fn unblock(&mut self, seats: &[SeatIndex], at: Moment, facts: &mut Vec<Fact>) {
        self.blocked -= u32::try_from(seats.len()).expect("a plan's seats fit");
        self.move_seats(seats, SeatState::Blocked, SeatState::Available, facts);
        facts.push(Fact::SeatsUnblocked { seats: seats.to_vec(), at });
    }

    /// All that is claimed changes hands.
    pub(super) fn move_claim(
        &mut self,
        claim: &Claim,
        was: SeatState,
        becomes: SeatState,
        facts: &mut Vec<Fact>,
    ) {
        self.move_seats(&claim.seats, was, becomes, facts);
        if becomes == SeatState::Blocked {
            self.blocked += u32::try_from(claim.seats.len()).expect("a plan's seats fit");
        }
        for (section, quantity) in &claim.places {
            let counts = &mut self.places[usize::from(section.0)];
            let before = *counts;
            match was {
                SeatState::Held(_) => counts.held -= quantity,
                SeatState::Sold(_) => counts.sold -= quantity,
                SeatState::Available | SeatState::Blocked => {}
            }
            match becomes {
                SeatState::Held(_) => counts.held += quantity,
                SeatState::Sold(_) => counts.sold += quantity,
                SeatState::Available | SeatState::Blocked => {}
            }
            facts.push(Fact::Places { section: *section, was: before, becomes: *counts });
        }
    }

    fn move_seats(
        &mut self,
        seats: &[SeatIndex],
        was: SeatState,
        becomes: SeatState,
        facts: &mut Vec<Fact>,
    ) {
        for seat in seats {
            let free = self.free_seats_of(*seat);
            *free -= u32::from(was == SeatState::Available);
            *free += u32::from(becomes == SeatState::Available);
            facts.push(Fact::Seat { seat: *seat, was, becomes });
        }
    }

    fn free_seats_of(&mut self, seat: SeatIndex) -> &mut u32 {
        &mut self.free_seats[usize::from(self.plan.seat(seat).section.0)]
    }
}
