//! Which of an event's records belong to a story. A hold's first record comes before everything that
//! hangs on it, so one pass finds them all.

use std::collections::HashMap;
use std::sync::Arc;

use taquilla_engine::id::{HoldId, OrderId};
use taquilla_engine::moment::Moment;
use uuid::Uuid;

use super::entry::{What, Who};
use super::root::Root;
use crate::codec::{HoldEnding, OrderState, Record, Taken};

/// The holds and orders of a story, and whose they are.
pub(super) struct Thread {
    pub(super) root: Root,
    pub(super) holds: HashMap<Uuid, Arc<str>>,
    pub(super) orders: HashMap<Uuid, Arc<str>>,
}

/// A record of the story. Those that carry no instant of their own have their decision's.
pub(super) struct Followed {
    pub(super) at: Option<Moment>,
    pub(super) who: Who,
    pub(super) what: What,
}

impl Thread {
    pub(super) fn new(root: Root) -> Self {
        Self { root, holds: HashMap::new(), orders: HashMap::new() }
    }

    /// The record's entry, if it belongs to the story.
    pub(super) fn follow(&mut self, record: &Record) -> Option<Followed> {
        match record {
            Record::HoldPlacedInSection { .. } => {
                unreachable!("old records are decoded as today's")
            }
            Record::HoldPlaced { hold, buyer, taken, total, created_at, expires_at } => {
                self.take_up(*hold, buyer, taken)?;
                let what = What::HoldPlaced {
                    hold: *hold,
                    taken: taken.clone(),
                    total: *total,
                    expires_at: Moment(*expires_at),
                };
                Some(Followed { at: Some(Moment(*created_at)), who: named(buyer), what })
            }
            Record::HoldReduced { hold, given_back, total, at } => {
                let buyer = self.holds.get(hold)?;
                let (given_back, total) = (given_back.clone(), *total);
                let what = What::HoldReduced { hold: *hold, given_back, total };
                Some(Followed { at: Some(Moment(*at)), who: named(buyer), what })
            }
            Record::HoldEnded { hold, ending, at } => {
                let buyer = self.holds.get(hold)?;
                let who = match ending {
                    HoldEnding::Expired => Who::Clock,
                    HoldEnding::Released | HoldEnding::Converted => named(buyer),
                };
                let what = What::HoldEnded { hold: *hold, ending: *ending };
                Some(Followed { at: Some(Moment(*at)), who, what })
            }
            Record::OrderPlaced { order, hold, buyer, status, total, created_at } => {
                self.holds.get(hold)?;
                let (order, hold, total, status) = (*order, *hold, *total, *status);
                let what = What::OrderPlaced { order, hold, total, status };
                Some(Followed { at: Some(Moment(*created_at)), who: named(buyer), what })
            }
            Record::OrderEnded { order, status, at } => {
                let buyer = self.orders.get(order)?;
                let who = match status {
                    OrderState::Expired => Who::Clock,
                    OrderState::Open | OrderState::Confirmed | OrderState::Cancelled => {
                        named(buyer)
                    }
                };
                let what = What::OrderEnded { order: *order, status: *status };
                Some(Followed { at: Some(Moment(*at)), who, what })
            }
            Record::TicketIssued { ticket, order, section, seat } => {
                let who = named(self.orders.get(order)?);
                let (ticket, order, section, seat) = (*ticket, *order, *section, *seat);
                Some(Followed {
                    at: None,
                    who,
                    what: What::TicketIssued { ticket, order, section, seat },
                })
            }
            Record::AttemptDecided { attempt, order, confirmed } => {
                let who = named(self.orders.get(order)?);
                let (attempt, order, confirmed) = (*attempt, *order, *confirmed);
                Some(Followed {
                    at: None,
                    who,
                    what: What::AttemptDecided { attempt, order, confirmed },
                })
            }
        }
    }

    /// A hold that belongs to the story does so with its order, which has its id from the hold.
    fn take_up(&mut self, hold: Uuid, buyer: &str, taken: &Taken) -> Option<()> {
        let belongs = match &self.root {
            Root::Seat(seat) => taken.seats.contains(seat),
            Root::Buyer(name) => name == buyer,
            Root::Hold(id) => *id == hold,
        };
        if !belongs {
            return None;
        }
        let buyer: Arc<str> = buyer.into();
        let order = HoldId::parse(hold).map(OrderId::of);
        self.orders.extend(order.map(|order| (order.uuid(), Arc::clone(&buyer))));
        self.holds.insert(hold, buyer);
        Some(())
    }
}

fn named(buyer: &str) -> Who {
    Who::Buyer(buyer.to_owned())
}

/// When the order of a record without an instant was decided: its batch says so elsewhere.
pub(super) fn decided_at(what: &What, batch: &[Record]) -> Option<Moment> {
    let (What::TicketIssued { order, .. } | What::AttemptDecided { order, .. }) = what else {
        return None;
    };
    batch.iter().find_map(|record| confirmed_at(record, *order))
}

fn confirmed_at(record: &Record, of: Uuid) -> Option<Moment> {
    let (order, status, at) = match *record {
        Record::OrderEnded { order, status, at } => (order, status, at),
        Record::OrderPlaced { order, status, created_at, .. } => (order, status, created_at),
        Record::HoldPlacedInSection { .. }
        | Record::HoldEnded { .. }
        | Record::TicketIssued { .. }
        | Record::AttemptDecided { .. }
        | Record::HoldPlaced { .. }
        | Record::HoldReduced { .. } => return None,
    };
    (order == of && status == OrderState::Confirmed).then_some(Moment(at))
}
