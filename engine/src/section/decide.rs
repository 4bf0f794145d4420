//! The rules. Time is an argument; an overdue hold is over whatever has been written, and whoever
//! builds on that ends it first, as a whole.

use smallvec::{SmallVec, smallvec};

use super::choose::Chosen;
use super::room::Room;
use super::state::Section;
use super::{ErrandId, SectionCommand, SectionEvent, Settlement};
use crate::hold::{Choice, HoldStatus, Portion};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;
use crate::refusal::Refusal;
use crate::seating::ChoiceWish;

/// What a section is asked to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionAction {
    /// Take the portion for a new hold.
    Place {
        /// The new hold.
        hold: HoldId,
        /// What it wants here.
        portion: Portion,
        /// Whether a part of it will do.
        accept_fewer: bool,
        /// When it will be over.
        expires_at: Moment,
    },
    /// Take the best seats there are for a new hold.
    Choose {
        /// The new hold.
        hold: HoldId,
        /// What it wants here.
        wish: ChoiceWish,
        /// Whether fewer will do.
        accept_fewer: bool,
        /// When it will be over.
        expires_at: Moment,
    },
    /// Say how good the best seats are, and take nothing.
    Offer {
        /// What is wanted.
        wish: ChoiceWish,
        /// Whether fewer will do.
        accept_fewer: bool,
    },
    /// Give a part of the hold back; the hold has it.
    GiveBack {
        /// The hold.
        hold: HoldId,
        /// What it is to have no longer.
        portion: Portion,
    },
    /// Give the hold's seats back.
    Release(HoldId),
    /// Give them back if its time has come; else nothing.
    Expire(HoldId),
    /// Let the hold live until then, if its time has not come.
    Extend {
        /// Which.
        hold: HoldId,
        /// When it will be over.
        expires_at: Moment,
    },
    /// Sell the hold's seats.
    Convert(HoldId),
    /// Take sold seats or places back.
    Return {
        /// The hold that they were bought with.
        hold: HoldId,
        /// Which.
        portion: Portion,
        /// Whether nobody is to have them again.
        off_sale: bool,
    },
    /// Take seats off sale and put others back on.
    Blocks {
        /// To be blocked.
        block: Vec<SeatIndex>,
        /// To be free again.
        unblock: Vec<SeatIndex>,
    },
    /// Have room for so many people.
    SetCapacity(u32),
}

/// What follows from an action: these section events, in order, and yes or no. A refusal can come
/// with events: a hold found overdue is ended all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What happened; of what is only prepared, what will have happened.
    pub events: SmallVec<[SectionEvent; 2]>,
    /// Whether the action was granted.
    pub outcome: Result<(), Denial>,
}

/// Why an action was not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// By the rules.
    Refused(Refusal),
    /// Its caller had gone, and nothing was decided.
    TooLate,
}

/// The decision depends on something that another section still has a say in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled;

impl Decision {
    pub(super) fn granted(events: SmallVec<[SectionEvent; 2]>) -> Self {
        Self { events, outcome: Ok(()) }
    }

    pub(super) fn refused(refusal: Refusal) -> Self {
        Self { events: SmallVec::new(), outcome: Err(Denial::Refused(refusal)) }
    }

    pub(super) fn too_late() -> Self {
        Self { events: SmallVec::new(), outcome: Err(Denial::TooLate) }
    }

    /// The refusal, if the rules say no.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.outcome {
            Err(Denial::Refused(refusal)) => Some(refusal),
            Ok(()) | Err(Denial::TooLate) => None,
        }
    }
}

impl Section {
    /// Decides and makes it so, or prepares it: with [`Section::settle`] the one way in which a section
    /// changes. Overdue holds are over in any case.
    ///
    /// # Errors
    /// [`Unsettled`] if it must wait for a settlement; nothing has changed.
    pub fn handle(&mut self, command: &SectionCommand) -> Result<Decision, Unsettled> {
        let decision = self.decide(command.now, &command.action)?;
        match command.settlement {
            Settlement::Final => decision.events.iter().for_each(|event| self.apply(event)),
            Settlement::Prepared => self.prepare(command.errand, &decision.events),
        }
        Ok(decision)
    }

    /// A prepared errand is granted by all its sections, or given up.
    pub fn settle(&mut self, errand: ErrandId, granted: bool) {
        let events = self.prepared.settle(errand);
        if granted {
            events.iter().for_each(|event| self.apply(event));
        }
    }

    fn prepare(&mut self, errand: ErrandId, events: &[SectionEvent]) {
        let mut later = SmallVec::new();
        let (mut moves, mut seats, mut capacity) = (None, Vec::new(), None);
        for event in events {
            match event {
                SectionEvent::HoldExpired(_) | SectionEvent::Offered { .. } => self.apply(event),
                SectionEvent::SeatsBlocked(changed) | SectionEvent::SeatsUnblocked(changed) => {
                    seats.extend(changed);
                    later.push(event.clone());
                }
                SectionEvent::CapacitySet(becomes) => {
                    capacity = Some(*becomes);
                    later.push(event.clone());
                }
                SectionEvent::HoldPlaced { hold, portion, .. }
                | SectionEvent::HoldReduced { hold, portion }
                | SectionEvent::TicketsReturned { hold, portion, .. } => {
                    moves = Some((*hold, portion.clone()));
                    later.push(event.clone());
                }
                SectionEvent::HoldReleased(hold)
                | SectionEvent::HoldExtended { hold, .. }
                | SectionEvent::HoldConverted(hold) => {
                    moves = Some((*hold, self.holds[hold].portion.clone()));
                    later.push(event.clone());
                }
            }
        }
        if let Some((hold, portion)) = moves {
            self.prepared.add(errand, Some(hold), portion, later);
        } else if !later.is_empty() {
            self.prepared.capacity = capacity;
            self.prepared.add(errand, None, Portion::Seats(seats), later);
        }
    }

    /// What follows from the action at this instant.
    ///
    /// # Errors
    /// [`Unsettled`] if that depends on a settlement.
    pub fn decide(&self, now: Moment, action: &SectionAction) -> Result<Decision, Unsettled> {
        match action {
            SectionAction::Place { hold, portion, accept_fewer, expires_at } => {
                let room = match portion {
                    Portion::Seats(seats) => self.room_in_seats(now, seats, *accept_fewer)?,
                    Portion::Places(quantity) => {
                        self.room_in_places(now, *quantity, *accept_fewer)?
                    }
                };
                Ok(room.map_or_else(Decision::refused, |Room { overdue, portion }| {
                    placed(overdue, *hold, portion, None, *expires_at)
                }))
            }
            SectionAction::Choose { hold, wish, accept_fewer, expires_at } => {
                let chosen = self.choose_some(now, *wish, *accept_fewer)?;
                Ok(chosen.map_or_else(Decision::refused, |Chosen { overdue, seats, choice }| {
                    let (portion, choice) = (Portion::Seats(seats), Some(Box::new(choice)));
                    placed(overdue, *hold, portion, choice, *expires_at)
                }))
            }
            SectionAction::Offer { wish, accept_fewer } => {
                let offer = self.choose_some(now, *wish, *accept_fewer)?;
                Ok(offer.map_or_else(Decision::refused, |Chosen { seats, choice, .. }| {
                    let choice = Box::new(choice);
                    Decision::granted(smallvec![SectionEvent::Offered { seats, choice }])
                }))
            }
            SectionAction::GiveBack { hold, portion } => self.decide_of_hold(now, *hold, || {
                SectionEvent::HoldReduced { hold: *hold, portion: portion.clone() }
            }),
            SectionAction::Release(hold) => {
                self.decide_of_hold(now, *hold, || SectionEvent::HoldReleased(*hold))
            }
            SectionAction::Convert(hold) => {
                self.decide_of_hold(now, *hold, || SectionEvent::HoldConverted(*hold))
            }
            SectionAction::Extend { hold, expires_at } => {
                let (hold, expires_at) = (*hold, *expires_at);
                self.decide_of_hold(now, hold, || SectionEvent::HoldExtended { hold, expires_at })
            }
            SectionAction::Expire(hold) => self.decide_end(now, *hold),
            SectionAction::Return { hold, portion, off_sale } => {
                self.decide_return(*hold, portion, *off_sale)
            }
            SectionAction::Blocks { block, unblock } => self.decide_blocks(now, block, unblock),
            SectionAction::SetCapacity(capacity) => self.decide_capacity(now, *capacity),
        }
    }

    /// Time alone ends a hold; one whose time has not come stays as it is.
    fn decide_end(&self, now: Moment, hold: HoldId) -> Result<Decision, Unsettled> {
        Ok(Decision::granted(match self.status(now, hold)? {
            HoldStatus::Expired => smallvec![SectionEvent::HoldExpired(hold)],
            HoldStatus::Active | HoldStatus::Released | HoldStatus::Converted => SmallVec::new(),
        }))
    }

    /// Only a living hold can be given back or sold. One that this section does not know any more was
    /// given back, ended or sold; which of them is in the event's book, and `Released` stands for it
    /// here.
    fn decide_of_hold(
        &self,
        now: Moment,
        hold: HoldId,
        event: impl FnOnce() -> SectionEvent,
    ) -> Result<Decision, Unsettled> {
        Ok(match self.status(now, hold)? {
            HoldStatus::Active => Decision::granted(smallvec![event()]),
            HoldStatus::Expired => Decision {
                events: smallvec![SectionEvent::HoldExpired(hold)],
                outcome: Err(Denial::Refused(Refusal::HoldNotActive(HoldStatus::Expired))),
            },
            ended @ (HoldStatus::Released | HoldStatus::Converted) => {
                Decision::refused(Refusal::HoldNotActive(ended))
            }
        })
    }

    pub(super) fn status(&self, now: Moment, hold: HoldId) -> Result<HoldStatus, Unsettled> {
        if self.prepared.touches_hold(hold) {
            return Err(Unsettled);
        }
        Ok(match self.holds.get(&hold) {
            None => HoldStatus::Released,
            Some(live) if now >= live.expires_at => HoldStatus::Expired,
            Some(_) => HoldStatus::Active,
        })
    }
}

/// A new hold has its portion, and the overdue holds that stood there end.
fn placed(
    overdue: SmallVec<[HoldId; 2]>,
    hold: HoldId,
    portion: Portion,
    choice: Option<Box<Choice>>,
    expires_at: Moment,
) -> Decision {
    let mut events: SmallVec<_> = overdue.into_iter().map(SectionEvent::HoldExpired).collect();
    events.push(SectionEvent::HoldPlaced { hold, portion, choice, expires_at });
    Decision::granted(events)
}
