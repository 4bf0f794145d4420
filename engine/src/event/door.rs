//! The door: where every command of an event comes in and every decision comes back.
//!
//! One order holds under it: a request is checked against keys, the buyer's line and the ledger in
//! the order of arrival, a section decides in the order it was asked, and what it decided is counted
//! as it returns. Nothing that it remembers is told before the lane says so.

mod decided;
mod holds;
mod keys;
mod orders;
mod rebuild;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::availability::{Availability, Map};
use super::batch::Batch;
use super::book::Book;
use super::fact::Fact;
use super::lane::{Lane, Part};
use super::line::{Joined, Lines};
use super::receipts::Receipts;
use crate::answer::{Answer, Outcome, Unanswered};
use crate::buyer::BuyerId;
use crate::command::{Command, Keyed, Request};
use crate::hold::{Hold, HoldStatus};
use crate::id::{AttemptId, Epoch, EventNumber, HoldId, OrderId, SectionIndex, Sequence};
use crate::moment::Moment;
use crate::money::Currency;
use crate::order::Order;
use crate::plan::Plan;
use crate::pricing::Fee;
use crate::refusal::Refusal;
use crate::sale::Sale;
use crate::section::{Decision, SectionAction};

/// What an event is and how it sells. Immutable for one owner.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The event.
    pub event: EventNumber,
    /// Its seats, sections and tiers. With every price, `buyer_seats_max` tickets and their fees stay
    /// under [`crate::money::AMOUNT_MAX`].
    pub plan: Arc<Plan>,
    /// Of all its prices.
    pub currency: Currency,
    /// In the order in which buyers see them.
    pub fees: Arc<[Fee]>,
    /// When and on what terms.
    pub sale: Sale,
}

/// Bounds of one event.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Decisions a batch. Above a few thousand a statement only gets longer, not cheaper.
    pub batch_max: usize,
    /// Keys remembered; each costs some 300 bytes.
    pub keys_max: usize,
    /// How long a key is remembered at least.
    pub keys_kept: Duration,
    /// Requests that wait for the first of their key.
    pub joins_max: usize,
    /// Overdue holds that one sweep ends.
    pub sweep_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch_max: 2_000,
            keys_max: 1_000_000,
            keys_kept: Duration::from_secs(24 * 3600),
            joins_max: 64,
            sweep_max: 2_000,
        }
    }
}

/// Names an errand between the door and a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrandId(u64);

/// What a section is sent.
#[derive(Clone, Debug)]
pub struct SectionCommand {
    /// Comes back with the decision.
    pub errand: ErrandId,
    /// The instant at which it decides.
    pub now: Moment,
    /// What.
    pub action: SectionAction,
}

/// What a section sends back.
#[derive(Clone, Debug)]
pub struct Decided {
    /// From the command.
    pub errand: ErrandId,
    /// What followed.
    pub decision: Decision,
}

/// What the door wants done. Effects are to be carried out in order.
#[derive(Debug)]
pub enum Effect<R> {
    /// Ask a section.
    Decide(SectionIndex, SectionCommand),
    /// Let a caller know.
    Reply(R, Result<Answer, Unanswered>),
    /// Show everybody.
    Publish(Availability),
    /// Wake those who wait for a change of these orders.
    OrdersChanged(Vec<OrderId>),
    /// Send a batch; its commit comes back by [`Door::committed`].
    Append(Batch),
}

/// A command that a section is deciding, with what is to be done with the decision.
#[derive(Debug)]
enum Errand<R> {
    Place {
        hold: Box<Hold>,
        reply: R,
    },
    /// `sold` is the refusal of a hold that a confirmation was faster with.
    Release {
        buyer: BuyerId,
        hold: HoldId,
        sold: Refusal,
        reply: R,
    },
    PlaceFreeOrder {
        order: Box<Order>,
        keyed: Keyed,
        reply: R,
    },
    Confirm {
        order: OrderId,
        attempt: AttemptId,
        reply: R,
    },
    /// Ends an overdue hold before its buyer's next hold is decided.
    MakeRoom {
        buyer: BuyerId,
    },
    Sweep {
        hold: HoldId,
    },
}

/// A buyer's command that waits until his overdue holds have ended.
#[derive(Debug)]
struct RoomWanted<R> {
    left: usize,
    request: Request,
    reply: R,
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
    map: Map,
    lines: Lines<(Request, R)>,
    /// Keys whose first request is undecided, with those that came after it.
    undecided: HashMap<Uuid, Vec<(Request, R)>>,
    errands: HashMap<ErrandId, Errand<R>>,
    errands_sent: u64,
    room_wanted: HashMap<BuyerId, RoomWanted<R>>,
    sweeping: HashSet<HoldId>,
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

    /// A request comes in. Its answer, or the word that there is none, leaves by `reply`.
    pub fn submit(&mut self, now: Moment, request: Request, reply: R) {
        self.tell_time(now);
        if request.deadline < self.now {
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
                let (order, attempt) = (*order, *attempt);
                self.confirm(order, attempt, reply);
            }
            Command::PlaceHold { .. }
            | Command::ReleaseHold { .. }
            | Command::PlaceOrder { .. }
            | Command::CancelOrder { .. } => self.submit_buyers(request, reply),
        }
    }

    /// Time has passed: overdue holds are ended and the map moves on.
    pub fn tick(&mut self, now: Moment) {
        self.tell_time(now);
        let overdue: Vec<HoldId> = self
            .book
            .overdue(self.now)
            .filter(|hold| !self.sweeping.contains(hold))
            .take(self.limits.sweep_max)
            .collect();
        for hold in overdue {
            self.sweeping.insert(hold);
            self.send(hold, SectionAction::Expire(hold), Errand::Sweep { hold });
        }
        self.effects.extend(self.map.tick(self.now).map(Effect::Publish));
    }

    /// A batch has definitely committed. `false` if it is not the one on its way: the owner must not
    /// go on.
    #[must_use]
    pub fn committed(&mut self, now: Moment, epoch: Epoch, sequence: Sequence) -> bool {
        self.tell_time(now);
        let Some(executed) = self.lane.committed(epoch, sequence) else { return false };
        self.map.apply(&executed);
        let replies = executed.answers.into_iter().map(|(r, answer)| Effect::Reply(r, Ok(answer)));
        self.effects.extend(replies);
        if !executed.orders.is_empty() {
            self.effects.push_back(Effect::OrdersChanged(executed.orders));
        }
        true
    }

    fn tell_time(&mut self, now: Moment) {
        self.now = self.now.max(now);
    }

    /// A command of which a buyer has one undecided at a time.
    fn submit_buyers(&mut self, request: Request, reply: R) {
        let (request, reply) = match self.replay(request, reply) {
            Some(new) => new,
            None => return,
        };
        let key = self.key_of(&request.command);
        if let Some(joined) = key.and_then(|key| self.undecided.get_mut(&key)) {
            if joined.len() < self.limits.joins_max {
                joined.push((request, reply));
            } else {
                self.turn_away(reply, Unanswered::Overloaded);
            }
            return;
        }
        let Some(buyer) = buyer_of(&request.command).cloned() else { return };
        match self.lines.join(&buyer, (request, reply)) {
            Joined::Full((_, reply)) => self.turn_away(reply, Unanswered::Overloaded),
            Joined::Waits => self.undecided.extend(key.map(|key| (key, Vec::new()))),
            Joined::First((request, reply)) => {
                self.undecided.extend(key.map(|key| (key, Vec::new())));
                self.begin(request, reply);
            }
        }
    }

    /// Decides the command at the head of its buyer's line, or sends it on to who decides.
    fn begin(&mut self, request: Request, reply: R) {
        let key = self.key_of(&request.command);
        let Some(buyer) = buyer_of(&request.command).cloned() else { return };
        if request.deadline < self.now || !self.has_room_for_key(key) {
            self.turn_away(reply, Unanswered::Overloaded);
            return self.finish(&buyer, key);
        }
        let refused = match &request.command {
            Command::PlaceHold { keyed, wish, admitted, .. } => {
                match self.check_hold(&buyer, wish, *admitted) {
                    Ok((section, claim)) => {
                        let hold = self.new_hold(&buyer, keyed, section, claim);
                        return self.place(hold, request, reply);
                    }
                    Err(refusal) => refusal,
                }
            }
            Command::ReleaseHold { hold, .. } => {
                let sold = Refusal::HoldNotActive(HoldStatus::Converted);
                return self.release(buyer, *hold, sold, reply);
            }
            Command::CancelOrder { order, .. } => match self.check_cancel(&buyer, *order) {
                Ok(hold) => return self.release(buyer, hold, Refusal::OrderNotCancellable, reply),
                Err(refusal) => refusal,
            },
            Command::PlaceOrder { keyed, hold, .. } => {
                let (keyed, hold) = (keyed.clone(), *hold);
                return self.place_order(&buyer, keyed, hold, reply);
            }
            Command::ConfirmOrder { .. } | Command::ReadHold { .. } | Command::ReadHolds { .. } => {
                unreachable!("only what waits in a buyer's line begins here")
            }
        };
        self.refuse_hold(&request.command, &refused);
        self.answer(reply, Outcome::Refused(refused));
        self.finish(&buyer, key);
    }

    /// Asks the section of a known hold.
    fn send(&mut self, hold: HoldId, action: SectionAction, errand: Errand<R>) {
        let section = self.book.hold(hold).expect("the caller has just seen the hold").section;
        self.ask(section, action, errand);
    }

    fn ask(&mut self, section: SectionIndex, action: SectionAction, errand: Errand<R>) {
        let id = ErrandId(self.errands_sent);
        self.errands_sent += 1;
        self.errands.insert(id, errand);
        let command = SectionCommand { errand: id, now: self.now, action };
        self.effects.push_back(Effect::Decide(section, command));
    }

    /// Answers once everything decided so far is durable.
    fn answer(&mut self, reply: R, outcome: Outcome) {
        self.answer_with(Vec::new(), reply, outcome);
    }

    fn answer_with(&mut self, facts: Vec<Fact>, reply: R, outcome: Outcome) {
        let answer = Answer { outcome, replayed: false, as_of: self.now };
        self.lane.push(Part { facts, answer: Some((reply, answer)) });
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
            self.begin(request, reply);
        }
        for (request, reply) in joined {
            self.submit_buyers(request, reply);
        }
    }
}

fn buyer_of(command: &Command) -> Option<&BuyerId> {
    match command {
        Command::PlaceHold { buyer, .. }
        | Command::ReleaseHold { buyer, .. }
        | Command::PlaceOrder { buyer, .. }
        | Command::CancelOrder { buyer, .. } => Some(buyer),
        Command::ConfirmOrder { .. } | Command::ReadHold { .. } | Command::ReadHolds { .. } => None,
    }
}
