//! The rules. Time is an argument; an overdue hold is over whatever has been written, and whoever
//! builds on that ends it first, as a whole.

use smallvec::{SmallVec, smallvec};

use super::SectionEvent;
use super::state::{SeatState, Section, Stock};
use crate::buyer::BuyerId;
use crate::hold::{Claim, HoldStatus};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;
use crate::refusal::Refusal;

/// What a section is asked to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionAction {
    /// Take the claim for a new hold, all or nothing.
    Place {
        /// The new hold.
        hold: HoldId,
        /// Whose it will be.
        buyer: BuyerId,
        /// What it wants.
        claim: Claim,
        /// When it will be over.
        expires_at: Moment,
    },
    /// Give the hold's seats back.
    Release(HoldId),
    /// Give them back if its time has come; else nothing.
    Expire(HoldId),
    /// Sell the hold's seats.
    Convert(HoldId),
}

/// What follows from an action: these section events, in order, and yes or no. A refusal can come
/// with events: a hold found overdue is ended all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What happened.
    pub events: SmallVec<[SectionEvent; 2]>,
    /// Whether the action was granted.
    pub outcome: Result<(), Refusal>,
}

impl Decision {
    fn granted(events: SmallVec<[SectionEvent; 2]>) -> Self {
        Self { events, outcome: Ok(()) }
    }

    fn refused(refusal: Refusal) -> Self {
        Self { events: SmallVec::new(), outcome: Err(refusal) }
    }
}

impl Section {
    /// Decides and applies: the one way in which a section changes.
    pub fn handle(&mut self, now: Moment, action: &SectionAction) -> Decision {
        let decision = self.decide(now, action);
        for event in &decision.events {
            self.apply(event);
        }
        decision
    }

    /// What follows from the action at this instant.
    #[must_use]
    pub fn decide(&self, now: Moment, action: &SectionAction) -> Decision {
        match action {
            SectionAction::Place { hold, buyer, claim, expires_at } => {
                let made_room = match claim {
                    Claim::Seats(seats) => self.make_room_in_seats(now, seats),
                    Claim::Places(quantity) => self.make_room_in_places(now, *quantity),
                };
                match made_room {
                    Err(refusal) => Decision::refused(refusal),
                    Ok(overdue) => {
                        let mut events: SmallVec<_> = overdue
                            .into_iter()
                            .map(|hold| SectionEvent::HoldExpired { hold, at: now })
                            .collect();
                        events.push(SectionEvent::HoldPlaced {
                            hold: *hold,
                            buyer: buyer.clone(),
                            section: self.index,
                            claim: claim.clone(),
                            at: now,
                            expires_at: *expires_at,
                        });
                        Decision::granted(events)
                    }
                }
            }
            SectionAction::Release(hold) => match self.status(now, *hold) {
                HoldStatus::Active => {
                    let hold = *hold;
                    Decision::granted(smallvec![SectionEvent::HoldReleased { hold, at: now }])
                }
                HoldStatus::Expired => self.end_overdue(now, *hold),
                ended @ (HoldStatus::Released | HoldStatus::Converted) => {
                    Decision::refused(Refusal::HoldNotActive(ended))
                }
            },
            SectionAction::Expire(hold) => match self.status(now, *hold) {
                HoldStatus::Expired => {
                    let mut decision = self.end_overdue(now, *hold);
                    decision.outcome = Ok(());
                    decision
                }
                HoldStatus::Active | HoldStatus::Released | HoldStatus::Converted => {
                    Decision::granted(SmallVec::new())
                }
            },
            SectionAction::Convert(hold) => match self.status(now, *hold) {
                HoldStatus::Active => {
                    let hold = *hold;
                    Decision::granted(smallvec![SectionEvent::HoldConverted { hold, at: now }])
                }
                HoldStatus::Expired => self.end_overdue(now, *hold),
                ended @ (HoldStatus::Released | HoldStatus::Converted) => {
                    Decision::refused(Refusal::HoldNotActive(ended))
                }
            },
        }
    }

    /// A hold that this section does not know any more was given back, ended or sold; which of them
    /// is in the event's book, and `Released` stands for it here.
    fn status(&self, now: Moment, hold: HoldId) -> HoldStatus {
        match self.holds.get(&hold) {
            None => HoldStatus::Released,
            Some(live) if now >= live.expires_at => HoldStatus::Expired,
            Some(_) => HoldStatus::Active,
        }
    }

    fn end_overdue(&self, now: Moment, hold: HoldId) -> Decision {
        Decision {
            events: smallvec![SectionEvent::HoldExpired { hold, at: now }],
            outcome: Err(Refusal::HoldNotActive(HoldStatus::Expired)),
        }
    }

    /// The overdue holds that stand in these seats, or the seats that cannot be had, all of them.
    fn make_room_in_seats(
        &self,
        now: Moment,
        seats: &[SeatIndex],
    ) -> Result<SmallVec<[HoldId; 2]>, Refusal> {
        let mut overdue = SmallVec::new();
        let mut taken = Vec::new();
        for seat in seats {
            match self.seat(*seat) {
                SeatState::Available => {}
                SeatState::Held(hold) if self.status(now, hold) == HoldStatus::Expired => {
                    if !overdue.contains(&hold) {
                        overdue.push(hold);
                    }
                }
                SeatState::Held(_) | SeatState::Sold(_) | SeatState::Blocked => taken.push(*seat),
            }
        }
        if taken.is_empty() { Ok(overdue) } else { Err(Refusal::SeatsUnavailable(taken)) }
    }

    /// The overdue holds that must end to make so many places free, soonest end first.
    fn make_room_in_places(
        &self,
        now: Moment,
        quantity: u32,
    ) -> Result<SmallVec<[HoldId; 2]>, Refusal> {
        let Stock::General { capacity, held, sold } = &self.stock else {
            return Err(Refusal::PlacesUnavailable(self.index));
        };
        let mut free = capacity - held - sold;
        let mut overdue = SmallVec::new();
        for (expires_at, hold) in &self.ends {
            if free >= quantity || now < *expires_at {
                break;
            }
            free += self.holds[hold].claim.quantity();
            overdue.push(*hold);
        }
        if free >= quantity { Ok(overdue) } else { Err(Refusal::PlacesUnavailable(self.index)) }
    }
}
