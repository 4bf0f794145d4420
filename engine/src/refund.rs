//! Sold tickets given back: which, why, and what of their order's money goes back with them. How the
//! money gets there is the payment workflow's; here it is owed.

use crate::buyer::BuyerId;
use crate::hold::{Claim, Fingerprint, Hold};
use crate::id::{OrderId, RefundId, TicketId};
use crate::moment::Moment;
use crate::operation::Deed;
use crate::order::Order;

/// Why sold tickets come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// An operator gives the buyer his money back.
    Refund,
    /// The event does not take place.
    Cancellation,
    /// The authorised money was never to be had.
    CaptureFailed,
    /// The buyer's bank has taken the money back already.
    Chargeback,
}

impl Cause {
    /// The cause's name in rows and answers.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::Cancellation => "cancellation",
            Self::CaptureFailed => "capture_failed",
            Self::Chargeback => "chargeback",
        }
    }

    /// The cause of this name.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let all = [Self::Refund, Self::Cancellation, Self::CaptureFailed, Self::Chargeback];
        all.into_iter().find(|cause| cause.code() == code)
    }

    /// Whether the tickets' share of the total is the buyer's again: not where it was never taken, and
    /// not where he has it.
    #[must_use]
    pub fn owes_money(self) -> bool {
        match self {
            Self::Refund | Self::Cancellation => true,
            Self::CaptureFailed | Self::Chargeback => false,
        }
    }
}

/// What is asked of an order's tickets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketReturn {
    /// Names the refund; asked again, it has the first result.
    pub refund: RefundId,
    /// Of the request.
    pub fingerprint: Fingerprint,
    /// Whose tickets.
    pub order: OrderId,
    /// Whose order that is.
    pub buyer: BuyerId,
    /// These, none of them twice; `None`: all that are not void.
    pub tickets: Option<Vec<TicketId>>,
    /// Why, as far as it matters here.
    pub cause: Cause,
    /// Why, in words.
    pub reason: Box<str>,
    /// An operator, or the part of the program that asks.
    pub who: Box<str>,
    /// The trail's row, where an operator asks.
    pub deed: Option<Deed>,
    /// The order as its rows have it, for an owner that has forgotten it; one that has not does not look.
    /// The statement compares every row all the same.
    pub rows: Option<Box<SoldOrder>>,
}

impl TicketReturn {
    /// All of the order's tickets that are in force, for a reason of the program's own. Asked for again, it
    /// is the same refund.
    #[must_use]
    pub fn of_all(sold: SoldOrder, cause: Cause, reason: Box<str>, who: Box<str>) -> Self {
        let order = sold.order.id;
        Self {
            refund: RefundId::of(order, cause.code()),
            fingerprint: Fingerprint::default(),
            order,
            buyer: sold.order.buyer.clone(),
            tickets: None,
            cause,
            reason,
            who,
            deed: None,
            rows: Some(Box::new(sold)),
        }
    }
}

/// An order as its rows have it, durably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoldOrder {
    /// What it paid for.
    pub hold: Hold,
    /// Itself, with its refunds.
    pub order: Order,
}

/// Tickets that came back, and what is owed for them. Never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// Names it.
    pub id: RefundId,
    /// Of the request that made it.
    pub fingerprint: Fingerprint,
    /// Whose tickets.
    pub order: OrderId,
    /// Why.
    pub cause: Cause,
    /// Why, in words.
    pub reason: Box<str>,
    /// Who asked.
    pub who: Box<str>,
    /// What is owed, in minor units of the event's currency.
    pub amount: i64,
    /// Void from now on, in the order of the hold's seats and places.
    pub tickets: Vec<TicketId>,
    /// The instant of the decision.
    pub at: Moment,
}

/// The ticket at each place of the order, in the claim's order.
pub(crate) fn tickets_of(order: OrderId, hold: &Hold) -> Vec<TicketId> {
    (0..hold.claim.quantity()).map(|place| TicketId::of(order, place)).collect()
}

/// What the tickets at these places of a hold were for.
pub(crate) fn part_of(claim: &Claim, places: &[usize]) -> Claim {
    let mut part = Claim::default();
    for place in places {
        if let Some(seat) = claim.seats.get(*place) {
            part.seats.push(*seat);
            continue;
        }
        let mut before = claim.seats.len();
        for (section, quantity) in &claim.places {
            before += *quantity as usize;
            if *place < before {
                match part.places.last_mut() {
                    Some((last, quantity)) if last == section => *quantity += 1,
                    Some(_) | None => part.places.push((*section, 1)),
                }
                break;
            }
        }
    }
    part
}
