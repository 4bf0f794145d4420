//! Which of an event's records belong to a story. A hold's first record comes before everything that
//! hangs on it, so one pass finds them all.

use std::collections::{HashMap, HashSet};
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
    /// General sections that holds of the story have places of.
    sections: HashSet<u16>,
}

/// A record of the story, with the instant that it carries, if it carries one.
pub(super) struct Followed {
    pub(super) at: Option<Moment>,
    pub(super) who: Who,
    pub(super) what: What,
}

impl Thread {
    pub(super) fn new(root: Root) -> Self {
        Self { root, holds: HashMap::new(), orders: HashMap::new(), sections: HashSet::new() }
    }

    /// The entry of the batch's record at this place, if it belongs to the story.
    pub(super) fn follow(&mut self, batch: &[Record], place: usize) -> Option<Followed> {
        let record = &batch[place];
        let (at, who, what) = match record {
            Record::HoldPlacedInSection { .. } => {
                unreachable!("old records are decoded as today's")
            }
            Record::HoldPlaced { .. }
            | Record::HoldReduced { .. }
            | Record::HoldExtended { .. }
            | Record::HoldEnded { .. } => self.follow_hold(record)?,
            Record::OrderPlaced { .. } | Record::OrderEnded { .. } => self.follow_order(record)?,
            Record::TicketIssued { ticket, order, section, seat } => {
                let who = named(self.orders.get(order)?);
                let (ticket, order, section, seat) = (*ticket, *order, *section, *seat);
                let at = confirmed_at(batch, order);
                return Some(Followed {
                    at,
                    who,
                    what: What::TicketIssued { ticket, order, section, seat },
                });
            }
            Record::AttemptDecided { attempt, order, confirmed } => {
                let who = named(self.orders.get(order)?);
                let (attempt, order, confirmed) = (*attempt, *order, *confirmed);
                let at = confirmed_at(batch, order);
                return Some(Followed {
                    at,
                    who,
                    what: What::AttemptDecided { attempt, order, confirmed },
                });
            }
            Record::TicketsReturned { .. } => self.follow_return(record)?,
            Record::SeatsBlocked { seats, at } => {
                let (seat, (who, action)) = (self.seat_among(seats)?, operated(&batch[place..]));
                (*at, who, What::SeatBlocked { seat, action })
            }
            Record::SeatsUnblocked { seats, at } => {
                let (seat, (who, action)) = (self.seat_among(seats)?, operated(&batch[place..]));
                (*at, who, What::SeatUnblocked { seat, action })
            }
            Record::CapacitySet { section, was, becomes, at } => {
                let section = *self.sections.get(section)?;
                let (who, action) = operated(&batch[place..]);
                (*at, who, What::CapacitySet { section, was: *was, becomes: *becomes, action })
            }
            // The trail's row says more.
            Record::TermsAmended { .. } | Record::Operated { .. } => return None,
        };
        Some(Followed { at: Some(Moment(at)), who, what })
    }

    fn follow_hold(&mut self, record: &Record) -> Option<(i64, Who, What)> {
        if let Record::HoldPlaced { hold, buyer, taken, total, created_at, expires_at } = record {
            self.take_up(*hold, buyer, taken)?;
            let (taken, expires_at) = (taken.clone(), Moment(*expires_at));
            let what = What::HoldPlaced { hold: *hold, taken, total: *total, expires_at };
            return Some((*created_at, named(buyer), what));
        }
        if let Record::HoldReduced { hold, given_back, total, at } = record {
            let buyer = self.holds.get(hold)?;
            let (given_back, total) = (given_back.clone(), *total);
            return Some((*at, named(buyer), What::HoldReduced { hold: *hold, given_back, total }));
        }
        if let Record::HoldExtended { hold, attempt, expires_at, at } = record {
            let buyer = self.holds.get(hold)?;
            let (hold, attempt, expires_at) = (*hold, *attempt, Moment(*expires_at));
            return Some((*at, named(buyer), What::HoldExtended { hold, attempt, expires_at }));
        }
        let Record::HoldEnded { hold, ending, at } = record else { return None };
        let buyer = self.holds.get(hold)?;
        let who = match ending {
            HoldEnding::Expired => Who::Clock,
            HoldEnding::Released | HoldEnding::Converted => named(buyer),
        };
        Some((*at, who, What::HoldEnded { hold: *hold, ending: *ending }))
    }

    fn follow_order(&self, record: &Record) -> Option<(i64, Who, What)> {
        if let Record::OrderPlaced { order, hold, buyer, status, total, created_at } = record {
            self.holds.get(hold)?;
            let (order, hold, total, status) = (*order, *hold, *total, *status);
            return Some((
                *created_at,
                named(buyer),
                What::OrderPlaced { order, hold, total, status },
            ));
        }
        let Record::OrderEnded { order, status, at } = record else { return None };
        let buyer = self.orders.get(order)?;
        let who = match status {
            OrderState::Expired => Who::Clock,
            OrderState::Open | OrderState::Confirmed | OrderState::Cancelled => named(buyer),
        };
        Some((*at, who, What::OrderEnded { order: *order, status: *status }))
    }

    fn follow_return(&self, record: &Record) -> Option<(i64, Who, What)> {
        let Record::TicketsReturned { refund, order, tickets, given_back, cause, who, amount, at } =
            record
        else {
            return None;
        };
        self.orders.get(order)?;
        let what = What::TicketsReturned {
            refund: *refund,
            order: *order,
            tickets: tickets.iter().map(|bytes| Uuid::from_bytes(*bytes)).collect(),
            given_back: given_back.clone(),
            cause: *cause,
            amount: *amount,
        };
        Some((*at, Who::Operator(who.clone()), what))
    }

    /// The story's seat, if it is one of these.
    fn seat_among(&self, seats: &[u32]) -> Option<u32> {
        match self.root {
            Root::Seat(seat) => seats.contains(&seat).then_some(seat),
            Root::Buyer(_) | Root::Hold(_) => None,
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
        self.sections.extend(taken.places.iter().map(|(section, _)| *section));
        self.holds.insert(hold, buyer);
        Some(())
    }
}

fn named(buyer: &str) -> Who {
    Who::Buyer(buyer.to_owned())
}

/// Who did what these records begin with: the batch says it after what was done.
fn operated(onwards: &[Record]) -> (Who, Option<Uuid>) {
    for record in onwards {
        if let Record::Operated { action, who, .. } = record {
            return (Who::Operator(who.clone()), Some(*action));
        }
    }
    (Who::Clock, None)
}

/// When the batch sold this order, if it did. Tickets and verdicts carry no instant of their own.
fn confirmed_at(batch: &[Record], of: Uuid) -> Option<Moment> {
    for record in batch {
        if let Record::OrderEnded { order, status, at: created_at }
        | Record::OrderPlaced { order, status, created_at, .. } = record
            && *order == of
            && *status == OrderState::Confirmed
        {
            return Some(Moment(*created_at));
        }
    }
    None
}
