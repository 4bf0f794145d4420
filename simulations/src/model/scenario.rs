//! Scenarios: a tiny sale, and what its buyers may ask for. The alphabet of commands is [`Wanted`]; a
//! new kind of command joins there, in [`Scenario::command`], and in what judges its answers.

mod sales;

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::{Command, Keyed, Wish};
use taquilla_engine::event::Terms;
use taquilla_engine::hold::Claim;
use taquilla_engine::id::{
    AttemptId, EventNumber, HoldId, OrderId, PlanId, RefundId, SeatIndex, SectionIndex, TicketId,
};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::refund::{Cause, TicketReturn};
use taquilla_engine::sale::Sale;
use taquilla_engine::waiting_room::admission::Admission;

use super::actions::Fault;

pub use sales::{
    ACROSS, CLOCK, CONTESTED, EXPIRY, LIMIT, PURCHASE, READING, RETURN, RIVALS, SCENARIOS, SPLIT,
    STALE,
};

pub(super) const EVENT: EventNumber = EventNumber(1);
/// Two sections of two seats: seats 0 and 1, seats 2 and 3.
pub(super) const SECTIONS: u16 = 2;
pub(super) const SECTION_SEATS: u32 = 2;
/// One step of the model's clock, and how long a hold lives. Under the 2 s by which a batch's time may
/// be off, while two steps are over it.
pub(super) const STEP: Duration = Duration::from_millis(1_500);
/// How far a batch's time may be from the database's.
pub(super) const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);
/// The same in whole steps: an answer may be so much older than its call.
pub(super) const STEPS_BEHIND_MAX: u8 = 1;

/// What a buyer can ask for. Numbers name the scenario's asks: `hold: 0` is the hold that ask 0 places.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// A hold on these seats.
    Place(&'static [u32]),
    /// The end of a hold.
    Release {
        /// Whose place it undoes.
        hold: usize,
    },
    /// The end of a part of a hold.
    GiveBack {
        /// Whose place it undoes in part.
        hold: usize,
        /// Which part.
        seats: &'static [u32],
    },
    /// The order of a hold.
    Order {
        /// What it pays for.
        hold: usize,
    },
    /// The seats of a hold's order, for an authorised attempt.
    Confirm {
        /// What is paid for.
        hold: usize,
    },
    /// Tickets of a hold's order come back.
    Return {
        /// What was paid for.
        hold: usize,
        /// Which, by their place in the claim.
        tickets: &'static [u32],
    },
    /// What a hold is now.
    Read {
        /// Which.
        hold: usize,
    },
    /// The buyer's active holds.
    ReadAll,
}

/// What an ask waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Nothing.
    Start,
    /// This other ask was granted.
    Granted(usize),
}

/// One request, with how often it may be sent under its one key.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Who.
    pub buyer: &'static str,
    /// What.
    pub wanted: Wanted,
    /// When.
    pub after: After,
    /// How often at most: at once, after an answer, or after the word that there is none.
    pub times: u8,
}

/// A tiny sale.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// In one word.
    pub name: &'static str,
    /// What may be asked for.
    pub asks: &'static [Ask],
    /// Seats a buyer may have.
    pub buyer_seats_max: u32,
    /// How many steps of [`STEP`] the clock makes. A hold lives for one.
    pub time_max: u8,
    /// What may go wrong; the budget says how often.
    pub faults: &'static [Fault],
}

pub(super) fn moment(time: u8) -> Moment {
    Moment(0) + STEP * u32::from(time)
}

impl Scenario {
    /// What the engine is told of the sale.
    pub(super) fn terms(&self) -> Terms {
        let section = |n: u16| SectionPlan {
            name: format!("S{n}"),
            kind: SectionKind::Seated {
                first: SeatIndex(u32::from(n) * SECTION_SEATS),
                seats: SECTION_SEATS,
            },
            tier: 0,
        };
        let seat = |n: u32| SeatPlan {
            label: n.to_string().into(),
            section: section_of(n),
            ..SeatPlan::default()
        };
        let seats = (0..u32::from(SECTIONS) * SECTION_SEATS).map(seat).collect();
        let tier = Tier { name: "T".into(), price: 100 };
        Terms {
            event: EVENT,
            plan_id: PlanId::default(),
            plan: Arc::new(Plan::new(vec![tier], (0..SECTIONS).map(section).collect(), seats)),
            currency: Currency::parse("EUR").expect("a currency of the list"),
            fees: Arc::new([]),
            sale: Sale {
                opens_at: Moment(0),
                closes_at: Moment(i64::MAX),
                hold_ttl: STEP,
                buyer_seats_max: self.buyer_seats_max,
                waiting_room: false,
                paused: false,
                verifying_extension: Duration::ZERO,
                cancelled: false,
            },
        }
    }

    /// The ask as the engine takes it.
    pub(super) fn command(&self, ask: usize) -> Command {
        let buyer = self.buyer(ask);
        match self.asks[ask].wanted {
            Wanted::Place(seats) => Command::PlaceHold {
                buyer,
                keyed: keyed(ask),
                wish: Wish::Claim { claim: claim(seats), accept_fewer: false },
                admission: Some(Admission::ALWAYS),
            },
            Wanted::Release { hold } => Command::ReleaseHold { buyer, hold: self.hold(hold) },
            Wanted::GiveBack { hold, seats } => {
                Command::GiveBack { buyer, hold: self.hold(hold), part: Ok(claim(seats)) }
            }
            Wanted::Order { hold } => Command::PlaceOrder {
                buyer,
                keyed: keyed(ask),
                hold: self.hold(hold),
                admission: Some(Admission::ALWAYS),
            },
            Wanted::Confirm { hold } => Command::ConfirmOrder {
                order: OrderId::of(self.hold(hold)),
                attempt: self.attempt(ask),
            },
            Wanted::Return { hold, tickets } => self.ticket_return(ask, hold, tickets),
            Wanted::Read { hold } => Command::ReadHold { buyer, hold: self.hold(hold) },
            Wanted::ReadAll => Command::ReadHolds { buyer },
        }
    }

    fn ticket_return(&self, ask: usize, hold: usize, tickets: &[u32]) -> Command {
        let (who, order) = (self.asks[ask].buyer, OrderId::of(self.hold(hold)));
        let Keyed { key, fingerprint } = keyed(ask);
        Command::ReturnTickets(Box::new(TicketReturn {
            refund: RefundId::derive(EVENT, who, &key),
            fingerprint,
            order,
            buyer: self.buyer(hold),
            tickets: Some(tickets.iter().map(|place| TicketId::of(order, *place)).collect()),
            cause: Cause::Refund,
            reason: "".into(),
            who: who.into(),
            deed: None,
            rows: None,
        }))
    }

    pub(super) fn buyer(&self, ask: usize) -> BuyerId {
        BuyerId::parse(self.asks[ask].buyer).expect("a scenario's buyers have names")
    }

    /// The hold that this ask places.
    pub(super) fn hold(&self, ask: usize) -> HoldId {
        HoldId::derive(EVENT, &self.buyer(ask), &keyed(ask).key)
    }

    /// The attempt that this ask confirms.
    pub(super) fn attempt(&self, ask: usize) -> AttemptId {
        AttemptId::derive(EVENT, &self.buyer(ask), &keyed(ask).key)
    }
}

fn claim(seats: &[u32]) -> Claim {
    Claim::of_seats(seats.iter().map(|seat| SeatIndex(*seat)).collect())
}

fn section_of(seat: u32) -> SectionIndex {
    SectionIndex(u16::try_from(seat / SECTION_SEATS).expect("few seats"))
}

fn keyed(ask: usize) -> Keyed {
    Keyed { key: format!("k{ask}").into(), fingerprint: [0; 32] }
}
