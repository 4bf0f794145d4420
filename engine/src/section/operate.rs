//! The rules of what operators do to a section: a seat that somebody has is not blocked, and a general
//! section is not made smaller than what is in it.

use smallvec::SmallVec;

use super::SectionEvent;
use super::decide::{Decision, Unsettled};
use super::seats::Cell;
use super::state::{Section, Stock};
use crate::hold::HoldStatus;
use crate::id::SeatIndex;
use crate::moment::Moment;
use crate::refusal::{Refusal, SalesConflict, SectionConflict};

impl Section {
    /// Blocks what is free and unblocks what is blocked; overdue holds in the way end first.
    pub(super) fn decide_blocks(
        &self,
        now: Moment,
        block: &[SeatIndex],
        unblock: &[SeatIndex],
    ) -> Result<Decision, Unsettled> {
        if block.iter().chain(unblock).any(|seat| self.prepared.touches_seat(*seat)) {
            return Err(Unsettled);
        }
        let mut events: SmallVec<[SectionEvent; 2]> = SmallVec::new();
        let mut conflict = SalesConflict::default();
        let mut free = Vec::new();
        for seat in block {
            match self.seat(*seat) {
                Cell::Available => free.push(*seat),
                Cell::Blocked => {}
                Cell::Sold => {
                    conflict.sold += 1;
                    conflict.seats.push(*seat);
                }
                Cell::Held(hold) if self.status(now, hold)? == HoldStatus::Expired => {
                    let ends = SectionEvent::HoldExpired(hold);
                    if !events.contains(&ends) {
                        events.push(ends);
                    }
                    free.push(*seat);
                }
                Cell::Held(_) => {
                    conflict.held += 1;
                    conflict.seats.push(*seat);
                }
            }
        }
        if !conflict.seats.is_empty() {
            return Ok(Decision::refused(Refusal::ConflictsWithSales(Box::new(conflict))));
        }
        let blocked = |seat: &&SeatIndex| self.seat(**seat) == Cell::Blocked;
        let again: Vec<SeatIndex> = unblock.iter().filter(blocked).copied().collect();
        if !free.is_empty() {
            events.push(SectionEvent::SeatsBlocked(free));
        }
        if !again.is_empty() {
            events.push(SectionEvent::SeatsUnblocked(again));
        }
        Ok(Decision::granted(events))
    }

    /// Makes room for so many; overdue holds that are in the way end first, soonest end first.
    pub(super) fn decide_capacity(&self, now: Moment, asked: u32) -> Result<Decision, Unsettled> {
        let Stock::General { held, sold, .. } = self.stock else {
            panic!("{:?} has seats, not a capacity", self.index)
        };
        if self.prepared.capacity.is_some() {
            return Err(Unsettled);
        }
        let (mut held, mut events) = (held, SmallVec::<[SectionEvent; 2]>::new());
        let reserved = self.prepared.reserved;
        for (expires_at, hold) in &self.ends {
            if held + sold + reserved <= asked || now < *expires_at {
                break;
            }
            if !self.prepared.touches_hold(*hold) {
                held -= self.holds[hold].portion.quantity();
                events.push(SectionEvent::HoldExpired(*hold));
            }
        }
        if held + sold + reserved <= asked {
            events.push(SectionEvent::CapacitySet(asked));
            return Ok(Decision::granted(events));
        }
        if held + sold - self.prepared.leaving <= asked {
            return Err(Unsettled);
        }
        let section = SectionConflict { section: self.index, sold, held, asked };
        let sections = vec![section];
        let conflict = SalesConflict { sold, held, asked, sections, ..SalesConflict::default() };
        Ok(Decision::refused(Refusal::ConflictsWithSales(Box::new(conflict))))
    }
}
