//! The door: where every command of an event comes in and every decision comes back.
//!
//! One order holds under it: a request is checked against keys, the buyer's line and the ledger in
//! the order of arrival, a section decides in the order it was asked, and what it decided is counted
//! as it returns. Nothing that it remembers is told before the lane says so.

mod best;
mod decided;
mod errands;
mod extension;
mod given_back;
mod holds;
mod keys;
mod operators;
mod orders;
mod quarantine;
mod rebuild;
mod returns;
mod sweep;
mod terms_gate;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use uuid::Uuid;

use self::errands::Errands;
use self::holds::RoomWanted;
pub use self::quarantine::Quarantine;
use self::sweep::Sweep;
use self::terms_gate::TermsGate;
use super::availability::{Availability, Map};
use super::batch::Batch;
use super::book::Book;
use super::churn::Churn;
use super::fact::Fact;
use super::lane::{Lane, Part};
use super::limits::Limits;
use super::line::{Joined, Lines};
use super::receipts::Receipts;
use super::terms::Terms;
use crate::answer::{Answer, Outcome, Unanswered};
use crate::buyer::BuyerId;
use crate::command::{Command, Request};
use crate::hold::{Hold, HoldStatus};
use crate::id::{Epoch, OrderId, SectionIndex, Sequence};
use crate::moment::Moment;
use crate::plan::Plan;
use crate::refund::TicketReturn;
use crate::refusal::Refusal;
use crate::section::SectionMessage;

/// What the door wants done. Effects are to be carried out in order.
#[derive(Debug)]
pub enum Effect<R> {
    /// Tell a section something.
    Tell(SectionIndex, SectionMessage),
    /// Let a caller know.
    Reply(R, Result<Answer, Unanswered>),
    /// Show everybody.
    Publish(Availability),
    /// Wake those who wait for a change of these orders.
    OrdersChanged(Vec<OrderId>),
    /// Send a batch; its commit comes back by [`Door::committed`].
    Append(Batch),
}

/// One event under one owner. `R` is whatever the caller is answered by.
#[derive(Debug)]
pub struct Door<R> {
    terms: Terms,
    limits: Limits,
    now: Moment,
    book: Book,
    receipts: Receipts,
    lane: Lane<R>,
    quarantine: Quarantine,
    churn: Churn,
    map: Map,
    lines: Lines<(Request, R)>,
    /// Keys whose first request is undecided, with those that came after it.
    undecided: HashMap<Uuid, Vec<(Request, R)>>,
    errands: Errands<R>,
    room_wanted: HashMap<BuyerId, RoomWanted<R>>,
    sweep: Sweep,
    /// Why an operator has stopped all purchases of the site, if one has.
    site_paused: Option<Arc<str>>,
    terms_gate: TermsGate<R>,
    forgot_at: Moment,
    effects: VecDeque<Effect<R>>,
}

impl<R> Door<R> {
    /// The next thing to do, or `None` until the door is fed again. A batch goes first, so that the
    /// database works while answers leave.
    pub fn poll(&mut self) -> Option<Effect<R>> {
        let batch = self.lane.poll(self.now).map(Effect::Append);
        batch.or_else(|| self.effects.pop_front())
    }

    /// The owner's epoch.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.lane.epoch()
    }

    /// What is for sale.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.terms.plan
    }

    /// Holds that are alive, or over for less than half a second.
    #[must_use]
    pub fn open_holds(&self) -> usize {
        self.book.open_holds()
    }

    /// Whose order it is, if it is in memory.
    #[must_use]
    pub fn buyer_of(&self, order: OrderId) -> Option<&BuyerId> {
        self.book.order(order).map(|order| &order.buyer)
    }

    /// A request comes in. Its answer, or the word that there is none, leaves by `reply`.
    pub fn submit(&mut self, now: Moment, request: Request, reply: R) {
        self.tell_time(now);
        if self.is_late(&request) {
            return self.turn_away(reply, Unanswered::Overloaded);
        }
        match &request.command {
            Command::ReadHold { buyer, hold } => {
                let outcome = match self.book.hold_of(buyer, *hold) {
                    Some(hold) => Outcome::Hold(Box::new(self.seen(hold))),
                    None => Outcome::Refused(Refusal::NotFound),
                };
                self.answer(reply, outcome);
            }
            Command::ReadHolds { buyer } => {
                let active = |hold: &&Hold| hold.status_at(self.now) == HoldStatus::Active;
                let holds = self.book.live(buyer).filter(active).cloned().collect();
                self.answer(reply, Outcome::Holds(holds));
            }
            Command::ConfirmOrder { order, attempt } => {
                if let Some(sections) = self.quarantined_by(&request.command) {
                    return self.turn_away(reply, Unanswered::Quarantined(sections));
                }
                let (order, attempt) = (*order, *attempt);
                self.confirm(order, attempt, reply);
            }
            Command::ExtendHold { order, attempt } => {
                if let Some(sections) = self.quarantined_by(&request.command) {
                    return self.turn_away(reply, Unanswered::Quarantined(sections));
                }
                let (order, attempt) = (*order, *attempt);
                self.extend(order, attempt, request.deadline, reply);
            }
            Command::PlaceHold { buyer, .. }
            | Command::ReleaseHold { buyer, .. }
            | Command::GiveBack { buyer, .. }
            | Command::PlaceOrder { buyer, .. }
            | Command::CancelOrder { buyer, .. } => {
                let buyer = buyer.clone();
                self.submit_buyers(&buyer, request, reply);
            }
            Command::ReturnTickets(asked) => {
                let buyer = asked.buyer.clone();
                self.recall(asked);
                self.submit_buyers(&buyer, request, reply);
            }
            Command::Operate(_) => self.submit_operation(request, reply),
        }
    }

    /// Time has passed: overdue holds are ended and the map moves on.
    pub fn tick(&mut self, now: Moment) {
        self.tell_time(now);
        self.sweep();
        self.effects.extend(self.map.tick(self.now).map(Effect::Publish));
    }

    /// A batch has definitely committed. `false` if it is not the one on its way: the owner must not
    /// go on.
    #[must_use]
    pub fn committed(&mut self, now: Moment, epoch: Epoch, sequence: Sequence) -> bool {
        self.tell_time(now);
        let Some(executed) = self.lane.committed(epoch, sequence) else { return false };
        self.map.apply(self.now, &executed);
        let replies = executed.answers.into_iter().map(|(r, answer)| Effect::Reply(r, Ok(answer)));
        self.effects.extend(replies);
        if !executed.orders.is_empty() {
            self.effects.push_back(Effect::OrdersChanged(executed.orders));
        }
        self.sweep_on();
        true
    }

    /// Whether nobody waits for the answer any more.
    fn is_late(&self, request: &Request) -> bool {
        request.deadline < self.now && !request.command.outlasts_its_caller()
    }

    fn tell_time(&mut self, now: Moment) {
        self.now = self.now.max(now);
    }

    /// A command of which a buyer has one undecided at a time.
    fn submit_buyers(&mut self, buyer: &BuyerId, request: Request, reply: R) {
        let (request, reply) = match self.replay(request, reply) {
            Some(new) => new,
            None => return,
        };
        let key = self.key_of(&request.command);
        if let Some(joined) = key.and_then(|key| self.undecided.get_mut(&key)) {
            if joined.len() < self.limits.joins_max {
                joined.push((request, reply));
            } else {
                self.turn_away(reply, Unanswered::KeyInUse);
            }
            return;
        }
        match self.lines.join(buyer, (request, reply)) {
            Joined::Full((_, reply)) => self.turn_away(reply, Unanswered::LineFull),
            Joined::Waits => self.undecided.extend(key.map(|key| (key, Vec::new()))),
            Joined::First((request, reply)) => {
                self.undecided.extend(key.map(|key| (key, Vec::new())));
                self.begin(buyer, request, reply);
            }
        }
    }

    /// Decides the command at the head of its buyer's line, or sends it on to who decides.
    fn begin(&mut self, buyer: &BuyerId, request: Request, reply: R) {
        let key = self.key_of(&request.command);
        // What comes back needs no room: its order is in memory by now.
        let comes_back = matches!(request.command, Command::ReturnTickets(_));
        if self.is_late(&request) || !(comes_back || self.has_room_for_key(key)) {
            self.turn_away(reply, Unanswered::Overloaded);
            return self.finish(buyer, key);
        }
        if let Some(sections) = self.quarantined_by(&request.command) {
            self.turn_away(reply, Unanswered::Quarantined(sections));
            return self.finish(buyer, key);
        }
        if self.waits_for_terms(&request.command) {
            return self.terms_gate.park(buyer, request, reply);
        }
        let by = request.deadline;
        let refused = match &request.command {
            Command::PlaceHold { .. } if self.open_holds() >= self.limits.open_holds_max => {
                self.turn_away(reply, Unanswered::HoldsFull);
                return self.finish(buyer, key);
            }
            Command::PlaceHold { wish, admission, .. } => {
                match self.check_hold(buyer, wish, *admission) {
                    Ok(()) => return self.place(request, reply),
                    Err(refusal) => refusal,
                }
            }
            Command::ReleaseHold { hold, .. } => {
                let sold = Refusal::HoldNotActive(HoldStatus::Converted);
                return self.release(buyer, *hold, sold, by, reply);
            }
            Command::GiveBack { hold, part, .. } => match self.check_part(buyer, *hold, part) {
                Ok(part) => return self.give_back(buyer, *hold, part, by, reply),
                Err(refusal) => refusal,
            },
            Command::CancelOrder { order, .. } => match self.check_cancel(buyer, *order) {
                Ok(hold) => {
                    let sold = Refusal::OrderNotCancellable;
                    return self.release(buyer, hold, sold, by, reply);
                }
                Err(refusal) => refusal,
            },
            Command::PlaceOrder { keyed, hold, admission, .. } => {
                let (keyed, hold, admission) = (keyed.clone(), *hold, *admission);
                return self.place_order(buyer, keyed, (hold, admission), by, reply);
            }
            Command::ReturnTickets(asked) => match self.check_return(asked) {
                Ok(returning) => {
                    let asked = TicketReturn::clone(asked);
                    return self.return_tickets(asked, returning, by, reply);
                }
                Err(refusal) => refusal,
            },
            Command::ConfirmOrder { .. }
            | Command::ExtendHold { .. }
            | Command::ReadHold { .. }
            | Command::ReadHolds { .. }
            | Command::Operate(_) => {
                unreachable!("only what waits in a buyer's line begins here")
            }
        };
        self.refuse_hold(&request.command, &refused);
        self.answer(reply, Outcome::Refused(refused));
        self.finish(buyer, key);
    }

    /// Answers once everything decided so far is durable.
    fn answer(&mut self, reply: R, outcome: Outcome) {
        self.answer_with(Vec::new(), reply, outcome);
    }

    fn answer_with(&mut self, facts: Vec<Fact>, reply: R, outcome: Outcome) {
        let part = self.part(facts, reply, outcome, false);
        self.lane.push(part);
    }

    /// Facts with the answer that rides on them, as it is at this instant.
    fn part(&self, facts: Vec<Fact>, reply: R, outcome: Outcome, replayed: bool) -> Part<R> {
        let answer = Answer { outcome, replayed, as_of: self.now };
        Part { facts, answer: Some((reply, answer)) }
    }

    /// Says at once that nothing was decided.
    fn turn_away(&mut self, reply: R, why: Unanswered) {
        self.effects.push_back(Effect::Reply(reply, Err(why)));
    }

    /// The hold as it is at this instant.
    fn seen(&self, hold: &Hold) -> Hold {
        Hold { status: hold.status_at(self.now), ..hold.clone() }
    }

    /// The buyer's undecided command is decided: those that waited for its key or behind it go on.
    fn finish(&mut self, buyer: &BuyerId, key: Option<Uuid>) {
        let joined = key.and_then(|key| self.undecided.remove(&key)).unwrap_or_default();
        if let Some((request, reply)) = self.lines.next(buyer) {
            self.begin(buyer, request, reply);
        }
        for (request, reply) in joined {
            // An operator's key may have been used for another buyer's order.
            let line = request.command.line().unwrap_or(buyer).clone();
            self.submit_buyers(&line, request, reply);
        }
    }
}
