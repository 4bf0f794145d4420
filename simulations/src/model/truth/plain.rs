//! From the engine's words to plain ones: the only place where what is judged meets who judges.

use std::collections::HashMap;

use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::event::Fact;
use taquilla_engine::hold::{Claim, Hold, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId, TicketId};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::refund::Refund;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::section::SeatState;

use super::history::{Condition, Happened, Standing, Tables};
use crate::model::rows::Rows;
use crate::model::scenario::{STEP, Scenario, Wanted};

/// No thing of the scenario.
const NOBODYS: u8 = u8::MAX;

/// A hold as somebody is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) struct Seen {
    pub(in crate::model) hold: u8,
    pub(in crate::model) seats: Vec<u32>,
    pub(in crate::model) condition: Condition,
    pub(in crate::model) until: u8,
    pub(in crate::model) ordered: bool,
}

/// What somebody is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) enum Said {
    Hold(Seen),
    Holds(Vec<Seen>),
    Released,
    Order {
        seen: Seen,
        standing: Standing,
        created: bool,
    },
    Judged {
        sold: bool,
    },
    Returned(Vec<u32>),
    NotReturnable,
    Taken(Vec<u32>),
    OverLimit {
        held: u32,
    },
    NotActive(Condition),
    NotFound,
    /// Nothing that these scenarios ask for can be answered so.
    Unheard(String),
}

/// What somebody is told, and of when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) struct Telling {
    pub(in crate::model) said: Said,
    pub(in crate::model) replayed: bool,
    pub(in crate::model) as_of: u8,
}

/// What the engine's ids are called here.
#[derive(Debug, Default)]
pub(in crate::model) struct Names {
    holds: HashMap<HoldId, u8>,
    orders: HashMap<OrderId, u8>,
    attempts: HashMap<AttemptId, u8>,
    buyers: HashMap<BuyerId, &'static str>,
}

impl Names {
    pub(in crate::model) fn of(scenario: &Scenario) -> Self {
        let mut names = Self::default();
        for (number, ask) in (0_u8..).zip(scenario.asks) {
            let at = usize::from(number);
            names.buyers.insert(scenario.buyer(at), ask.buyer);
            match ask.wanted {
                Wanted::Place(_) => {
                    names.holds.insert(scenario.hold(at), number);
                    names.orders.insert(OrderId::of(scenario.hold(at)), number);
                }
                Wanted::Confirm { .. } => {
                    names.attempts.insert(scenario.attempt(at), number);
                }
                Wanted::Release { .. }
                | Wanted::GiveBack { .. }
                | Wanted::Order { .. }
                | Wanted::Return { .. }
                | Wanted::Read { .. }
                | Wanted::ReadAll => {}
            }
        }
        names
    }

    fn hold(&self, id: HoldId) -> u8 {
        self.holds.get(&id).copied().unwrap_or(NOBODYS)
    }

    fn order(&self, id: OrderId) -> u8 {
        self.orders.get(&id).copied().unwrap_or(NOBODYS)
    }

    fn attempt(&self, id: AttemptId) -> u8 {
        self.attempts.get(&id).copied().unwrap_or(NOBODYS)
    }

    fn buyer(&self, id: &BuyerId) -> &'static str {
        self.buyers.get(id).copied().unwrap_or("nobody")
    }

    /// The fact as a line of history, if it is one.
    pub(in crate::model) fn happened(&self, fact: &Fact) -> Option<Happened> {
        match fact {
            Fact::HoldPlaced(hold) => Some(Happened::Placed {
                hold: self.hold(hold.id),
                buyer: self.buyer(&hold.buyer),
                seats: seats(&hold.claim),
                at: steps(hold.created_at),
                until: steps(hold.expires_at),
            }),
            Fact::HoldReduced { hold, part, .. } => {
                let (hold, seats) = (self.hold(hold.id), seats(part));
                Some(Happened::Reduced { hold, seats })
            }
            Fact::HoldEnded { hold, status, at } => {
                let (hold, condition) = (self.hold(*hold), condition(*status));
                Some(Happened::Ended { hold, condition, at: steps(*at) })
            }
            Fact::OrderPlaced(order) => Some(Happened::Ordered { hold: self.hold(order.hold) }),
            Fact::OrderEnded { order, status, .. } => {
                let (hold, standing) = (self.order(*order), standing(*status));
                Some(Happened::OrderEnded { hold, standing })
            }
            Fact::TicketIssued(ticket) => {
                let seat = ticket.seat.map_or(u32::MAX, |seat| seat.0);
                Some(Happened::Ticket { hold: self.order(ticket.order), seat })
            }
            Fact::AttemptDecided { attempt, order, verdict } => Some(Happened::Judged {
                attempt: self.attempt(*attempt),
                hold: self.order(*order),
                sold: *verdict == Verdict::Confirmed,
            }),
            Fact::TicketsReturned { refund, part } => {
                let (hold, seats) = (self.order(refund.order), seats(part));
                Some(Happened::Returned { hold, seats })
            }
            Fact::Seat { .. } | Fact::Places { .. } | Fact::Buyer { .. } | Fact::Remembered(_) => {
                None
            }
            Fact::SeatsBlocked { .. }
            | Fact::SeatsUnblocked { .. }
            | Fact::CapacitySet { .. }
            | Fact::TermsAmended { .. }
            | Fact::HoldExtended { .. }
            | Fact::Operated { .. } => unreachable!("nobody operates in the model"),
        }
    }

    /// What the rows say.
    pub(in crate::model) fn tables(&self, rows: &Rows) -> Tables {
        let mut tables = Tables::default();
        for (seat, state) in &rows.seats {
            let row = match state {
                SeatState::Available => continue,
                SeatState::Held(hold) => (self.hold(*hold), false),
                SeatState::Sold(hold) => (self.hold(*hold), true),
                SeatState::Blocked => (NOBODYS, true),
            };
            tables.seats.insert(seat.0, row);
        }
        let counted = rows.buyers.iter().filter(|(_, seats)| **seats > 0);
        tables.buyers.extend(counted.map(|(buyer, seats)| (self.buyer(buyer), *seats)));
        for hold in rows.holds.values() {
            let row = (condition(hold.status), steps(hold.expires_at), seats(&hold.claim));
            tables.holds.insert(self.hold(hold.id), row);
        }
        for order in rows.orders.values() {
            tables.orders.insert(self.hold(order.hold), standing(order.status));
        }
        tables.tickets.extend(rows.tickets.values().map(|ticket| {
            let seat = ticket.seat.map_or(u32::MAX, |seat| seat.0);
            ((seat, self.order(ticket.order)), ticket.void)
        }));
        let judged = rows.verdicts.iter();
        tables.verdicts.extend(
            judged.map(|(id, verdict)| (self.attempt(*id), *verdict == Verdict::Confirmed)),
        );
        tables
    }

    pub(in crate::model) fn telling(&self, answer: &Answer) -> Telling {
        let said = match &answer.outcome {
            Outcome::Hold(hold) => Said::Hold(self.seen(hold)),
            Outcome::Holds(holds) => Said::Holds(holds.iter().map(|it| self.seen(it)).collect()),
            Outcome::Released => Said::Released,
            Outcome::Order { order, hold, created } => Said::Order {
                seen: self.seen(hold),
                standing: standing(order.status),
                created: *created,
            },
            Outcome::Verdict(verdict) => Said::Judged { sold: *verdict == Verdict::Confirmed },
            Outcome::Refunded(refund) => Said::Returned(places(refund)),
            Outcome::Extension(_) | Outcome::Operated(_) => {
                unreachable!("nobody operates in the model")
            }
            Outcome::Refused(refusal) => refused(refusal),
        };
        Telling { said, replayed: answer.replayed, as_of: steps(answer.as_of) }
    }

    fn seen(&self, hold: &Hold) -> Seen {
        Seen {
            hold: self.hold(hold.id),
            seats: seats(&hold.claim),
            condition: condition(hold.status),
            until: steps(hold.expires_at),
            ordered: hold.order.is_some(),
        }
    }
}

fn refused(refusal: &Refusal) -> Said {
    match refusal {
        Refusal::NotFound => Said::NotFound,
        Refusal::RefundNotPossible => Said::NotReturnable,
        Refusal::HoldNotActive(status) => Said::NotActive(condition(*status)),
        Refusal::BuyerLimitExceeded { held, .. } => Said::OverLimit { held: *held },
        Refusal::SeatsUnavailable { seats, .. } => {
            Said::Taken(seats.iter().map(|it| it.0).collect())
        }
        Refusal::KeyReused
        | Refusal::UnknownSeats(_)
        | Refusal::PartTooLarge { .. }
        | Refusal::TermsInvalid(_)
        | Refusal::PurchasesPaused(_)
        | Refusal::ConflictsWithSales(_)
        | Refusal::SaleNotOpen { .. }
        | Refusal::AdmissionRequired
        | Refusal::HoldsDropped { .. }
        | Refusal::UnknownTickets(_)
        | Refusal::OrderNotCancellable => Said::Unheard(refusal.code().to_owned()),
    }
}

/// The model's clock at this moment; all its moments are whole steps.
pub(in crate::model) fn steps(moment: Moment) -> u8 {
    let step = i64::try_from(STEP.as_micros()).expect("a step is short");
    u8::try_from(moment.0.div_euclid(step)).expect("the model's clock makes few steps")
}

/// The tickets by their place in the claim; few seats are in a hold.
fn places(refund: &Refund) -> Vec<u32> {
    let place_of = |ticket: &TicketId| {
        (0..8).find(|place| TicketId::of(refund.order, *place) == *ticket).unwrap_or(u32::MAX)
    };
    refund.tickets.iter().map(place_of).collect()
}

fn seats(claim: &Claim) -> Vec<u32> {
    claim.seats.iter().map(|seat| seat.0).collect()
}

fn condition(status: HoldStatus) -> Condition {
    match status {
        HoldStatus::Active => Condition::Alive,
        HoldStatus::Released => Condition::Released,
        HoldStatus::Expired => Condition::Expired,
        HoldStatus::Converted => Condition::Sold,
    }
}

fn standing(status: OrderStatus) -> Standing {
    match status {
        OrderStatus::Open => Standing::Open,
        OrderStatus::Confirmed => Standing::Confirmed,
        OrderStatus::Cancelled => Standing::Cancelled,
        OrderStatus::Expired => Standing::Expired,
    }
}
