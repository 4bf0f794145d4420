//! One event's waiting room as its owner decides: who gets which number, who is called, who came.
//!
//! Pure: time and ids come in, batches go out, and what is durable is written into the [`Line`] that everybody
//! reads. One batch is on its way at a time; what is decided meanwhile gathers, and answers leave once the batch
//! that they rode on has committed. Whatever goes wrong, the owner dies, and another is made from rows.

mod lane;
mod rebuild;

use std::collections::HashMap;
use std::sync::Arc;

use self::lane::Gathered;
use super::batch::{NewPlace, Opening, Turn};
use super::calls::Call;
use super::control::{Control, ControlPatch};
use super::draw::{Attendance, Draw, Secret};
use super::line::{Line, Standing};
use super::members::MembersWriter;
use super::states::PlaceState;
use crate::buyer::BuyerId;
use crate::id::{EventId, QueueTicketId, Sequence};
use crate::moment::Moment;
use crate::operation::Deed;

/// What an event's waiting room is bound to.
#[derive(Clone, Debug)]
pub struct RoomTerms {
    /// Whose.
    pub event: EventId,
    /// When those present are drawn.
    pub opens_at: Moment,
    /// No more join.
    pub members_max: u32,
}

/// Why a buyer's command is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueRefusal {
    /// He has no place in this line.
    NotFound,
    /// No more may join.
    Full,
    /// He has given up, or lost, as many places as one buyer may.
    TooOften,
}

/// What has been decided for a buyer: his number, and whether it is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Counted from 0 in the order of joining.
    pub number: u32,
    /// Whether he had none before.
    pub is_new: bool,
}

/// Places that one buyer may have in one line: nobody uses a room up alone by leaving and joining.
pub const PLACES_MAX: u32 = 21;

/// The room of one event under one epoch.
#[derive(Debug)]
pub struct Room<R> {
    terms: RoomTerms,
    /// The latest that it has been: the clock may go back by a little.
    now: Moment,
    secret: Secret,
    line: Arc<Line>,
    writer: MembersWriter,
    /// Numbers that have been given, durable or not.
    joined: u32,
    attendance: Attendance,
    is_open: bool,
    served: u32,
    round: i32,
    /// What an operator has set, durable and not.
    control: Control,
    asked: Control,
    /// Places after their first of those who joined again.
    again: HashMap<QueueTicketId, u32>,
    /// Operators whose word stands since the last commit.
    obeyed: Vec<R>,
    /// Numbers given to tickets that are not in the line yet.
    coming: HashMap<QueueTicketId, u32>,
    /// What was decided of numbers and is not in the line yet, with the batch that says so.
    turning: HashMap<u32, (Turn, Sequence)>,
    gathering: Gathered<R>,
    executing: Option<Gathered<R>>,
}

impl<R> Room<R> {
    /// What everybody may read.
    #[must_use]
    pub fn line(&self) -> &Arc<Line> {
        &self.line
    }

    /// What an operator has set, durable.
    #[must_use]
    pub fn control(&self) -> Control {
        self.control
    }

    /// What an operator has set, durable or not.
    #[must_use]
    pub fn asked(&self) -> Control {
        self.asked
    }

    /// The ticket of this buyer, whether he has joined or not.
    #[must_use]
    pub fn ticket(&self, buyer: &BuyerId) -> QueueTicketId {
        self.line.ticket(buyer)
    }

    /// A place for the buyer: the one that he has, while he has one; else the next.
    ///
    /// # Errors
    /// [`QueueRefusal::Full`].
    pub fn join(
        &mut self,
        buyer: &BuyerId,
        now: Moment,
        reply: R,
    ) -> Result<(), (R, QueueRefusal)> {
        let now = self.open_in_time(now);
        let ticket = self.ticket(buyer);
        let mut is_again = false;
        if let Some(number) = self.known(ticket) {
            let has_left = self.has_left(number);
            if has_left && !self.is_open {
                self.turn(number, Turn::Returned);
            }
            // Who came in time, or was given longer, is not lost because that is still on its way.
            let is_lost = || matches!(self.settled(number), Some(Standing::Expired { .. }));
            if !self.is_open || !(has_left || is_lost()) {
                self.answer(reply, number, false);
                return Ok(());
            }
            // Behind all others, as somebody who comes now.
            if self.again.get(&ticket).is_some_and(|again| again + 1 >= PLACES_MAX) {
                return Err((reply, QueueRefusal::TooOften));
            }
            is_again = true;
        }
        if self.joined >= self.terms.members_max {
            return Err((reply, QueueRefusal::Full));
        }
        if is_again {
            *self.again.entry(ticket).or_default() += 1;
        }
        let number = self.joined;
        self.joined += 1;
        if !self.is_open {
            self.attendance.push(ticket);
        }
        self.coming.insert(ticket, number);
        let place = NewPlace { number, ticket, buyer: buyer.clone(), at: now, turn: None };
        self.gathering.batch.places.push(place);
        self.answer(reply, number, true);
        Ok(())
    }

    /// The buyer gives his place up. Again: the same.
    ///
    /// # Errors
    /// [`QueueRefusal::NotFound`].
    pub fn leave(
        &mut self,
        buyer: &BuyerId,
        now: Moment,
        reply: R,
    ) -> Result<(), (R, QueueRefusal)> {
        self.turn_place(buyer, now, reply, |_, _| Some(Turn::Left))
    }

    /// The buyer is here: if he has been called, he may shop from now on.
    ///
    /// # Errors
    /// [`QueueRefusal::NotFound`].
    pub fn come(
        &mut self,
        buyer: &BuyerId,
        now: Moment,
        reply: R,
    ) -> Result<(), (R, QueueRefusal)> {
        self.turn_place(buyer, now, reply, |room, number| {
            let is_called = matches!(room.settled(number)?, Standing::Called { .. });
            is_called.then_some(Turn::Came(room.now))
        })
    }

    /// Lets so many more in, of those who are still in the line. Returns how many there were.
    pub fn call(&mut self, count: u32, now: Moment) -> u32 {
        let now = self.open_in_time(now);
        // Whoever is called and has not heard of it is neither inside nor waiting: more are called after that.
        let is_on_its_way = self.line.draw().is_none() || self.served > self.line.served();
        if !self.is_open || is_on_its_way {
            return 0;
        }
        let mut called = 0;
        let before = self.served;
        let last = self.line.joined();
        while called < count && self.served < last {
            let number = self.line.draw().map_or(self.served, |draw| draw.index_at(self.served));
            called += u32::from(!self.has_left(number));
            self.served += 1;
        }
        if self.served > before {
            self.gathering.batch.call = Some(Call { served: self.served, at: now });
        }
        called
    }

    /// The buyer, who is inside, may stay for another whole admission from now on.
    ///
    /// # Errors
    /// [`QueueRefusal::NotFound`].
    pub fn renew(
        &mut self,
        buyer: &BuyerId,
        now: Moment,
        reply: R,
    ) -> Result<(), (R, QueueRefusal)> {
        self.turn_place(buyer, now, reply, |room, number| {
            let is_inside = matches!(room.settled(number)?, Standing::Admitted { .. });
            is_inside.then(|| Turn::Renewed(room.now + room.line.patience().admission))
        })
    }

    /// The buyer has bought: he may go on, and another one be inside as well. Said again, it is the same; while
    /// something else of him is on its way, it is to be said again.
    pub fn bought(&mut self, buyer: &BuyerId) {
        let Some(number) = self.known(self.ticket(buyer)) else { return };
        // What is on its way of him comes first; he is told of again.
        let is_decided = !self.turning.contains_key(&number);
        if is_decided && self.line.state(number) == PlaceState::Came {
            self.turn(number, Turn::Bought);
        }
    }

    /// An operator sets something. He is told with [`Room::obeyed`].
    pub fn obey(&mut self, patch: ControlPatch, deed: Deed, reply: R) {
        let control = patch.apply(self.asked);
        if control != self.asked {
            self.asked = control;
            self.gathering.batch.control = Some(control);
        }
        if patch.revokes {
            self.round += 1;
            self.gathering.batch.round = Some(self.round);
        }
        self.gathering.batch.deeds.push(deed);
        self.gathering.orders.push(reply);
    }

    /// The sale opens at another instant, unless it is open already.
    pub fn set_opening(&mut self, opens_at: Moment) {
        self.terms.opens_at = opens_at;
    }

    /// The sale opens at its instant, before anybody who comes later.
    ///
    /// Returns the time that it is: never earlier than it has been.
    pub fn open_in_time(&mut self, now: Moment) -> Moment {
        let now = self.now.max(now);
        self.now = now;
        if self.is_open || now < self.terms.opens_at {
            return now;
        }
        self.is_open = true;
        let (present, value) = (self.attendance.count(), self.attendance.freeze());
        self.gathering.batch.opening = Some(Opening { present, value, at: now });
        now
    }

    fn open(&mut self, opening: Opening) {
        self.is_open = true;
        let Opening { present, value, .. } = opening;
        self.line.open(Draw::new(self.terms.event, &self.secret, value, present));
    }

    /// What the buyer's word makes of the place that he has now, if anything. He hears of it either way.
    fn turn_place(
        &mut self,
        buyer: &BuyerId,
        now: Moment,
        reply: R,
        turn: impl FnOnce(&Self, u32) -> Option<Turn>,
    ) -> Result<(), (R, QueueRefusal)> {
        self.open_in_time(now);
        let Some(number) = self.known(self.ticket(buyer)) else {
            return Err((reply, QueueRefusal::NotFound));
        };
        if let Some(turn) = turn(self, number) {
            self.turn(number, turn);
        }
        self.answer(reply, number, false);
        Ok(())
    }

    /// Where the one with this number stands; none while something else of him is on its way.
    fn settled(&self, number: u32) -> Option<Standing> {
        let is_settled = !self.turning.contains_key(&number);
        is_settled.then(|| self.line.standing(number, self.now))
    }

    fn turn(&mut self, number: u32, turn: Turn) {
        self.gathering.batch.turn(number, turn);
        self.turning.insert(number, (turn, self.gathering.batch.sequence));
    }

    /// By what is decided, durable or not.
    fn has_left(&self, number: u32) -> bool {
        match self.turning.get(&number) {
            Some((turn, _)) => *turn == Turn::Left,
            None => self.line.state(number) == PlaceState::Left,
        }
    }

    fn known(&self, ticket: QueueTicketId) -> Option<u32> {
        self.coming.get(&ticket).copied().or_else(|| self.line.number(ticket))
    }

    fn answer(&mut self, reply: R, number: u32, is_new: bool) {
        self.gathering.answers.push((reply, Joined { number, is_new }));
    }
}
