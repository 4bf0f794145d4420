//! What every reply must be, foretold from the contract by a model that decides one command after the
//! other and remembers everything.
//!
//! It is told questions and answers in the order in which they were decided, and what was written. Where
//! the contract leaves one answer, that is expected to the letter. What several sections decide takes
//! time, and a hold may end meanwhile: there each part of an answer must have been true at some instant
//! between question and answer. Seats that the house chooses are checked, not foretold.
//!
//! Time is in microseconds, and no two steps of what is audited may share one.

mod best;
mod endings;
mod hall;
mod operators;
mod orders;
mod places;
mod question;
mod reply;
mod returns;
mod rows;
mod seats;
mod state;
mod stock;
mod switch;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

pub use hall::{Fee, Hall, HallSeat, HallSection, Kind, Terms};
pub use question::{Amendment, Asked, Best, Change, Claim, HoldName, Question, Refund, Wish};
pub use reply::{
    Conflict, Defect, HoldShown, HoldState, OrderShown, OrderState, RefundShown, Refusal, Reply,
    SaleState, Told,
};
pub use rows::{Everything, OrderRow, ReceiptRow, SeatRow, TicketRow, VoidRow, Written};

use state::State;
use switch::Switch;

/// Microseconds of the sale's one clock.
pub type Instant = i64;

/// What was expected, and what came instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In words, or the one right answer.
    pub expected: String,
    /// What came.
    pub got: String,
}

/// The model, and what it has been told so far.
#[derive(Debug)]
pub struct Oracle {
    hall: Hall,
    state: State,
    rows: rows::Mirror,
    /// When the latest answer was true.
    as_of: Instant,
    /// All holds that are answered now were begun since then.
    terms_since: Instant,
    sale_paused: Switch,
    site_paused: Switch,
    /// The answer that is being heard was true before it says so.
    is_late: bool,
}

impl Oracle {
    /// Of a sale in which nothing has happened.
    #[must_use]
    pub fn new(hall: Hall) -> Self {
        let state = State::new(&hall);
        let rows = rows::Mirror::default();
        Self {
            hall,
            state,
            rows,
            as_of: Instant::MIN,
            terms_since: Instant::MIN,
            sale_paused: Switch::default(),
            site_paused: Switch::default(),
            is_late: false,
        }
    }

    /// A question was answered, the next one in the order of decisions. The answer counts even if it
    /// differs: nothing is worth asking afterwards.
    ///
    /// # Errors
    /// [`Difference`].
    pub fn hear(&mut self, question: &Question, reply: &Reply) -> Result<(), Difference> {
        if reply.as_of < self.as_of || reply.as_of < question.at {
            let (latest, asked) = (self.as_of, question.at);
            return differ(format!("an answer as of {latest} and {asked} at the earliest"), reply);
        }
        self.as_of = reply.as_of;
        self.pin(question, reply);
        match &question.asked {
            Asked::Place { key, body, wish, admitted } => {
                let name = HoldName { buyer: question.buyer, key: *key };
                self.hear_place(question, reply, name, *body, wish, *admitted)
            }
            Asked::Release { hold } => self.hear_release(question, reply, *hold),
            Asked::GiveBack { hold, part } => self.hear_give_back(question, reply, *hold, part),
            Asked::Order { key, body, hold } => {
                self.hear_order(question, reply, (*key, *body), *hold)
            }
            Asked::Cancel { order_of } => self.hear_cancel(question, reply, *order_of),
            Asked::Confirm { order_of, attempt } => {
                self.hear_verdict(question, reply, *order_of, *attempt)
            }
            Asked::Read { hold } => {
                let hold = self.state.hold_of(question.buyer, *hold);
                let told = hold.map_or(Told::Refused(Refusal::NotFound), |hold| {
                    Told::Hold(Box::new(hold.shown(reply.as_of)))
                });
                expect(told, false, reply)
            }
            Asked::List => {
                let living = self.state.holds_of(question.buyer);
                let living = living.filter(|hold| hold.status(reply.as_of) == HoldState::Active);
                let shown = living.map(|hold| hold.shown(reply.as_of)).collect();
                expect(Told::Holds(shown), false, reply)
            }
            Asked::Refund(asked) => self.hear_refund(reply, asked),
            Asked::Operate { deed, change } => self.hear_operation(question, reply, *deed, change),
        }
    }

    /// The same of an answer that never left: it was true at some instant up to the one that it bears.
    ///
    /// # Errors
    /// [`Difference`].
    pub fn hear_late(&mut self, question: &Question, reply: &Reply) -> Result<(), Difference> {
        self.is_late = true;
        let heard = self.hear(question, reply);
        self.is_late = false;
        heard
    }

    /// Whoever decided was replaced by somebody who knows only what was written. Results in the rows
    /// stand; refused holds took nothing, and their keys may be decided anew.
    pub fn fail_over(&mut self) {
        self.state.refused.clear();
    }

    /// A hold that ended while its time ran out may have been released or expired; the first answer
    /// that says which is believed, and every later one must agree.
    fn pin(&mut self, question: &Question, reply: &Reply) {
        let said = match (&reply.told, &question.asked) {
            (Told::Hold(shown), _) => Some((shown.name, shown.status)),
            (Told::Order(shown), _) => Some((shown.hold.name, shown.hold.status)),
            (
                Told::Refused(Refusal::HoldNotActive(fate)),
                Asked::GiveBack { hold, .. } | Asked::Order { hold, .. },
            ) => Some((*hold, *fate)),
            (
                Told::Holds(_)
                | Told::Released
                | Told::Verdict(_)
                | Told::Refunded(_)
                | Told::Operated(_)
                | Told::Refused(_),
                _,
            ) => None,
        };
        let unsure = said.and_then(|(name, fate)| Some((self.state.holds.get_mut(&name)?, fate)));
        if let Some((hold, fate @ (HoldState::Released | HoldState::Expired))) = unsure
            && hold.fate == state::Fate::ReleasedOrExpired
        {
            hold.fate = if fate == HoldState::Released {
                state::Fate::Released
            } else {
                state::Fate::Expired
            };
        }
    }
}

/// The one right answer.
fn expect(told: Told, replayed: bool, reply: &Reply) -> Result<(), Difference> {
    if told == reply.told && replayed == reply.replayed {
        return Ok(());
    }
    let again = if replayed { ", replayed" } else { "" };
    differ(format!("{told:?}{again}"), reply)
}

fn differ<T>(expected: impl Into<String>, got: &impl fmt::Debug) -> Result<T, Difference> {
    Err(Difference { expected: expected.into(), got: format!("{got:?}") })
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected: {}\ngot:      {}", self.expected, self.got)
    }
}

impl std::error::Error for Difference {}
