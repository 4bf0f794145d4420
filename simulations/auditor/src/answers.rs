//! What the recorded answers promise, taken out of their JSON. Reads, judges nothing.

mod parse;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use crate::recorded::Recorded;

/// From the first sending of a request to one of its answers: repeats with the same key count as
/// one request, since the answer may be the first one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) from: DateTime<Utc>,
    pub(crate) to: DateTime<Utc>,
}

/// A seat by its label, or places of a section.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Item {
    Seat(String),
    Places(String, i64),
}

impl Item {
    /// Its label or section.
    pub(crate) fn name(&self) -> &str {
        let (Self::Seat(name) | Self::Places(name, _)) = self;
        name
    }

    pub(crate) fn quantity(&self) -> i64 {
        match self {
            Self::Seat(_) => 1,
            Self::Places(_, quantity) => *quantity,
        }
    }
}

/// What a `POST /holds` asks for.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) seats: Vec<&'a str>,
    pub(crate) places: Vec<(&'a str, i64)>,
    /// How many seats are left to the house.
    pub(crate) best: i64,
    pub(crate) accept_fewer: bool,
}

impl<'a> Wanted<'a> {
    pub(crate) fn of(request: &'a Value) -> Self {
        let list = |name: &str| request[name].as_array().into_iter().flatten();
        let places = |it: &'a Value| Some((it["section"].as_str()?, it["quantity"].as_i64()?));
        Self {
            seats: list("seats").filter_map(Value::as_str).collect(),
            places: list("general").filter_map(places).collect(),
            best: request["best_available"]["quantity"].as_i64().unwrap_or(0),
            accept_fewer: request["accept_fewer"].as_bool().unwrap_or(false),
        }
    }

    pub(crate) fn quantity(&self) -> i64 {
        let places: i64 = self.places.iter().map(|(_, quantity)| quantity).sum();
        i64::try_from(self.seats.len()).unwrap_or(i64::MAX) + places + self.best
    }
}

/// A hold, as an answer showed it.
#[derive(Debug)]
pub(crate) struct HoldShown<'a> {
    pub(crate) asked: Asked,
    pub(crate) record: &'a Recorded,
    pub(crate) hold: Uuid,
    pub(crate) status: &'a str,
    /// In order.
    pub(crate) items: Vec<Item>,
    /// In order.
    pub(crate) declined: Vec<Item>,
    /// The sum of its items and fees.
    pub(crate) cost: i64,
    pub(crate) total: i64,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
}

/// A list of one's own living holds.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) asked: Asked,
    pub(crate) buyer: &'a str,
    /// As the path names it.
    pub(crate) event: Value,
    pub(crate) holds: Vec<Uuid>,
}

/// A part of a hold that was asked to be given back, whatever came of it.
#[derive(Debug, Clone)]
pub(crate) struct PartGiven {
    pub(crate) hold: Uuid,
    pub(crate) item: Item,
    pub(crate) sent_at: DateTime<Utc>,
    /// When a 200 came.
    pub(crate) done_at: Option<DateTime<Utc>>,
}

/// An order, as an answer showed it.
#[derive(Debug)]
pub(crate) struct OrderShown<'a> {
    pub(crate) buyer: &'a str,
    pub(crate) order: Uuid,
    pub(crate) hold: Uuid,
    pub(crate) status: &'a str,
    pub(crate) total: i64,
    pub(crate) at_start: DateTime<Utc>,
    pub(crate) at_end: DateTime<Utc>,
}

/// The tickets of an order, as an answer showed them; there is at least one.
#[derive(Debug)]
pub(crate) struct TicketsShown<'a> {
    pub(crate) order: Uuid,
    /// Ids in order, and the label or section that each is for.
    pub(crate) tickets: Vec<(Uuid, &'a str)>,
}

/// A 202 to a payment.
#[derive(Debug)]
pub(crate) struct AttemptShown {
    pub(crate) order: Uuid,
    pub(crate) attempt: Uuid,
    pub(crate) amount: i64,
}

/// A 202 to an operator who takes tickets back.
#[derive(Debug)]
pub(crate) struct RefundShown {
    pub(crate) order: Uuid,
    pub(crate) refund: Uuid,
    pub(crate) amount: i64,
    pub(crate) tickets: Vec<Uuid>,
}

/// How far the cancellation of an event had come, as an answer showed it.
#[derive(Debug)]
pub(crate) struct CancellationShown<'a> {
    /// As the path names it.
    pub(crate) event: Value,
    pub(crate) status: &'a str,
    pub(crate) holds: i64,
    pub(crate) orders: i64,
    pub(crate) done: i64,
    pub(crate) amount: i64,
    pub(crate) at_start: DateTime<Utc>,
    pub(crate) at_end: DateTime<Utc>,
}

/// A `DELETE` of a hold or an order that was sent, whatever came of it.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) of: Ended,
    pub(crate) sent_at: DateTime<Utc>,
    /// When a 204 came.
    pub(crate) done_at: Option<DateTime<Utc>>,
}

/// What a `DELETE` names.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ended {
    Hold(Uuid),
    Order(Uuid),
}

/// A decided 409.
#[derive(Debug)]
pub(crate) struct Refused<'a> {
    pub(crate) asked: Asked,
    pub(crate) record: &'a Recorded,
    pub(crate) slug: &'a str,
}

/// Everything that the answers say, by kind.
#[derive(Debug, Default)]
pub(crate) struct Answers<'a> {
    /// By `POST /holds`.
    pub(crate) grants: Vec<HoldShown<'a>>,
    /// By any other answer.
    pub(crate) holds: Vec<HoldShown<'a>>,
    pub(crate) listings: Vec<Listing<'a>>,
    pub(crate) parts: Vec<PartGiven>,
    pub(crate) orders: Vec<OrderShown<'a>>,
    pub(crate) tickets: Vec<TicketsShown<'a>>,
    pub(crate) attempts: Vec<AttemptShown>,
    pub(crate) refunds: Vec<RefundShown>,
    pub(crate) cancellations: Vec<CancellationShown<'a>>,
    pub(crate) endings: Vec<Ending>,
    pub(crate) refused: Vec<Refused<'a>>,
    /// Answers of success that lack what the contract says they have.
    pub(crate) unreadable: Vec<&'a Recorded>,
}

impl<'a> Answers<'a> {
    pub(crate) fn of(recorded: &'a [Recorded]) -> Self {
        let first_sent = first_sent(recorded);
        let mut answers = Self::default();
        for record in recorded {
            let from = request_name(record).and_then(|name| first_sent.get(&name).copied());
            let asked = Asked { from: from.unwrap_or(record.at_start), to: record.at_end };
            if answers.take(record, asked).is_none() {
                answers.unreadable.push(record);
            }
        }
        answers
    }
}

type RequestName<'a> = (&'a str, &'a str, &'a str, &'a str);

fn request_name(record: &Recorded) -> Option<RequestName<'_>> {
    record.key.as_deref().map(|key| (&*record.buyer, &*record.method, &*record.path, key))
}

fn first_sent(recorded: &[Recorded]) -> HashMap<RequestName<'_>, DateTime<Utc>> {
    let mut first: HashMap<_, DateTime<Utc>> = HashMap::new();
    for record in recorded {
        if let Some(name) = request_name(record) {
            let at = first.entry(name).or_insert(record.at_start);
            *at = (*at).min(record.at_start);
        }
    }
    first
}
