//! The outbox's payload: what happened in one batch, in order, in a binary format with a version.
//!
//! The first byte is the version, the rest belongs to it. A kind of record never changes: what is new
//! goes behind the others and makes a new version, and old bytes decode for ever.

use bincode::config::{self, Config};
use bincode::serde::{decode_from_slice, encode_to_vec};
use serde::{Deserialize, Serialize};
use taquilla_engine::event::Fact;
use taquilla_engine::hold::{Claim, HoldStatus};
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::refund::Cause;
use uuid::Uuid;

/// Version 1: holds of one section.
const VERSION_1: u8 = 1;
/// Version 2: holds of any number of sections, which may be reduced.
const VERSION_2: u8 = 2;
/// Version 3: what operators do.
const VERSION_3: u8 = 3;
/// Version 4: tickets that come back, and holds that live longer.
const VERSION_4: u8 = 4;

/// Far above a batch of [`taquilla_engine::event::Limits`]' size; a claim beyond it is refused
/// before memory is taken.
const PAYLOAD_BYTES_MAX: usize = 16 << 20;

fn format() -> impl Config {
    config::standard().with_limit::<PAYLOAD_BYTES_MAX>()
}

/// A telling fact, as it is stored: raw numbers, microseconds of the database's clock, minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "fields are those of the engine's facts")]
pub enum Record {
    /// A hold began, as version 1 has it. It is decoded as [`Record::HoldPlaced`].
    HoldPlacedInSection {
        #[serde(with = "uuid::serde::compact")]
        hold: Uuid,
        buyer: String,
        section: u16,
        taken: TakenInSection,
        total: i64,
        created_at: i64,
        expires_at: i64,
    },
    /// An active hold ended.
    HoldEnded {
        #[serde(with = "uuid::serde::compact")]
        hold: Uuid,
        ending: HoldEnding,
        at: i64,
    },
    /// An order was made.
    OrderPlaced {
        #[serde(with = "uuid::serde::compact")]
        order: Uuid,
        #[serde(with = "uuid::serde::compact")]
        hold: Uuid,
        buyer: String,
        status: OrderState,
        total: i64,
        created_at: i64,
    },
    /// An open order came to its end.
    OrderEnded {
        #[serde(with = "uuid::serde::compact")]
        order: Uuid,
        status: OrderState,
        at: i64,
    },
    /// A ticket was issued.
    TicketIssued {
        #[serde(with = "uuid::serde::compact")]
        ticket: Uuid,
        #[serde(with = "uuid::serde::compact")]
        order: Uuid,
        section: u16,
        seat: Option<u32>,
    },
    /// An authorised attempt was decided.
    AttemptDecided {
        #[serde(with = "uuid::serde::compact")]
        attempt: Uuid,
        #[serde(with = "uuid::serde::compact")]
        order: Uuid,
        confirmed: bool,
    },
    /// A hold began.
    HoldPlaced {
        #[serde(with = "uuid::serde::compact")]
        hold: Uuid,
        buyer: String,
        taken: Taken,
        total: i64,
        created_at: i64,
        expires_at: i64,
    },
    /// An active hold gave a part back, and costs so much now.
    HoldReduced {
        #[serde(with = "uuid::serde::compact")]
        hold: Uuid,
        given_back: Taken,
        total: i64,
        at: i64,
    },
    /// Free seats were taken off sale, by their index.
    SeatsBlocked { seats: Vec<u32>, at: i64 },
    /// Blocked seats were put back on sale.
    SeatsUnblocked { seats: Vec<u32>, at: i64 },
    /// A general section has room for another number of people.
    CapacitySet { section: u16, was: u32, becomes: u32, at: i64 },
    /// The event has other terms, or its page says something else. Which, the operator's action
    /// after it tells.
    TermsAmended { at: i64 },
    /// An operator did what stands before this.
    Operated {
        #[serde(with = "uuid::serde::compact")]
        action: Uuid,
        who: String,
        what: String,
        at: i64,
    },
    /// Tickets came back, by the bytes of their ids, and so much is owed for them.
    TicketsReturned {
        #[serde(with = "uuid::serde::compact")]
        refund: Uuid,
        #[serde(with = "uuid::serde::compact")]
        order: Uuid,
        tickets: Vec<[u8; 16]>,
        given_back: Taken,
        cause: ReturnCause,
        who: String,
        amount: i64,
        at: i64,
    },
    /// An active hold lives longer while an attempt is being verified.
    HoldExtended {
        #[serde(with = "uuid::serde::compact")]
        hold: Uuid,
        #[serde(with = "uuid::serde::compact")]
        attempt: Uuid,
        expires_at: i64,
        at: i64,
    },
}

/// Why tickets came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReturnCause {
    /// An operator gave the buyer his money back.
    Refund,
    /// The event does not take place.
    Cancellation,
    /// The money was never to be had.
    CaptureFailed,
    /// The buyer's bank took it back.
    Chargeback,
}

impl ReturnCause {
    /// The cause's name in rows and answers.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Refund => Cause::Refund,
            Self::Cancellation => Cause::Cancellation,
            Self::CaptureFailed => Cause::CaptureFailed,
            Self::Chargeback => Cause::Chargeback,
        }
        .code()
    }
}

/// What a hold took of one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TakenInSection {
    /// Seats, by their index.
    Seats(Vec<u32>),
    /// So many places of a general section.
    Places(u32),
}

/// What a hold took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Seats, by their index.
    pub seats: Vec<u32>,
    /// General sections, by their index, and how many places.
    pub places: Vec<(u16, u32)>,
}

/// How a hold ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HoldEnding {
    /// Given back.
    Released,
    /// Its time ran out.
    Expired,
    /// Its seats are sold.
    Converted,
}

/// What an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderState {
    /// Waits for a payment.
    Open,
    /// Its seats are sold.
    Confirmed,
    /// Given up.
    Cancelled,
    /// Its hold ended first.
    Expired,
}

/// Why bytes are no payload.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Written by a newer program, or not by us; `None` where there is no byte at all.
    #[error("unknown payload version: {0:?}")]
    UnknownVersion(Option<u8>),
    /// They do not follow their version's format.
    #[error("malformed payload")]
    Malformed(#[source] bincode::error::DecodeError),
    /// A whole payload, and so many bytes more.
    #[error("{0} bytes after the payload")]
    Trailing(usize),
}

/// The payload of a batch's history; facts that are none are left out.
#[must_use]
pub fn encode(history: &[Fact]) -> Vec<u8> {
    let records: Vec<Record> = history.iter().filter_map(record).collect();
    let body = encode_to_vec(records, format()).expect("records encode into memory");
    [&[VERSION_4], body.as_slice()].concat()
}

/// What a payload of any version says, in order.
///
/// # Errors
/// [`DecodeError`]; what lengths in it claim is bounded by 16 MiB in all before memory is taken.
pub fn decode(payload: &[u8]) -> Result<Vec<Record>, DecodeError> {
    let Some((&(VERSION_1 | VERSION_2 | VERSION_3 | VERSION_4), body)) = payload.split_first()
    else {
        return Err(DecodeError::UnknownVersion(payload.first().copied()));
    };
    let decoded: Result<(Vec<Record>, _), _> = decode_from_slice(body, format());
    let (records, read) = decoded.map_err(DecodeError::Malformed)?;
    if read < body.len() {
        return Err(DecodeError::Trailing(body.len() - read));
    }
    Ok(records.into_iter().map(Record::of_today).collect())
}

impl Record {
    /// A record of an old version as this one says it.
    fn of_today(self) -> Self {
        match self {
            Self::HoldPlacedInSection {
                hold,
                buyer,
                section,
                taken,
                total,
                created_at,
                expires_at,
            } => {
                let taken = match taken {
                    TakenInSection::Seats(seats) => Taken { seats, places: Vec::new() },
                    TakenInSection::Places(quantity) => {
                        Taken { seats: Vec::new(), places: vec![(section, quantity)] }
                    }
                };
                Self::HoldPlaced { hold, buyer, taken, total, created_at, expires_at }
            }
            record @ (Self::HoldEnded { .. }
            | Self::OrderPlaced { .. }
            | Self::OrderEnded { .. }
            | Self::TicketIssued { .. }
            | Self::AttemptDecided { .. }
            | Self::HoldPlaced { .. }
            | Self::HoldReduced { .. }
            | Self::SeatsBlocked { .. }
            | Self::SeatsUnblocked { .. }
            | Self::CapacitySet { .. }
            | Self::TermsAmended { .. }
            | Self::Operated { .. }
            | Self::TicketsReturned { .. }
            | Self::HoldExtended { .. }) => record,
        }
    }
}

fn record(fact: &Fact) -> Option<Record> {
    Some(match fact {
        Fact::HoldPlaced(hold) => Record::HoldPlaced {
            hold: hold.id.uuid(),
            buyer: hold.buyer.as_str().to_owned(),
            taken: Taken::of(&hold.claim),
            total: hold.quote.total,
            created_at: hold.created_at.0,
            expires_at: hold.expires_at.0,
        },
        Fact::HoldReduced { hold, part, at } => Record::HoldReduced {
            hold: hold.id.uuid(),
            given_back: Taken::of(part),
            total: hold.quote.total,
            at: at.0,
        },
        Fact::HoldEnded { hold, status, at } => {
            let ending = match status {
                HoldStatus::Released => HoldEnding::Released,
                HoldStatus::Expired => HoldEnding::Expired,
                HoldStatus::Converted => HoldEnding::Converted,
                HoldStatus::Active => unreachable!("a hold does not end as active"),
            };
            Record::HoldEnded { hold: hold.uuid(), ending, at: at.0 }
        }
        Fact::OrderPlaced(order) => Record::OrderPlaced {
            order: order.id.uuid(),
            hold: order.hold.uuid(),
            buyer: order.buyer.as_str().to_owned(),
            status: order_state(order.status),
            total: order.total,
            created_at: order.created_at.0,
        },
        Fact::OrderEnded { order, status, at } => {
            Record::OrderEnded { order: order.uuid(), status: order_state(*status), at: at.0 }
        }
        Fact::TicketIssued(ticket) => Record::TicketIssued {
            ticket: ticket.id.uuid(),
            order: ticket.order.uuid(),
            section: ticket.section.0,
            seat: ticket.seat.map(|seat| seat.0),
        },
        Fact::AttemptDecided { attempt, order, verdict } => Record::AttemptDecided {
            attempt: attempt.uuid(),
            order: order.uuid(),
            confirmed: *verdict == Verdict::Confirmed,
        },
        Fact::SeatsBlocked { seats, at } => {
            Record::SeatsBlocked { seats: seats.iter().map(|seat| seat.0).collect(), at: at.0 }
        }
        Fact::SeatsUnblocked { seats, at } => {
            Record::SeatsUnblocked { seats: seats.iter().map(|seat| seat.0).collect(), at: at.0 }
        }
        Fact::CapacitySet { section, was, becomes, at } => {
            Record::CapacitySet { section: section.0, was: *was, becomes: *becomes, at: at.0 }
        }
        Fact::TermsAmended { at, .. } => Record::TermsAmended { at: at.0 },
        Fact::Operated { deed, at } => Record::Operated {
            action: deed.id,
            who: deed.who.to_string(),
            what: deed.what.to_owned(),
            at: at.0,
        },
        Fact::HoldExtended { hold, attempt, expires_at, at, .. } => Record::HoldExtended {
            hold: hold.uuid(),
            attempt: attempt.uuid(),
            expires_at: expires_at.0,
            at: at.0,
        },
        Fact::TicketsReturned { refund, part } => Record::TicketsReturned {
            refund: refund.id.uuid(),
            order: refund.order.uuid(),
            tickets: refund.tickets.iter().map(|it| it.uuid().into_bytes()).collect(),
            given_back: Taken::of(part),
            cause: match refund.cause {
                Cause::Refund => ReturnCause::Refund,
                Cause::Cancellation => ReturnCause::Cancellation,
                Cause::CaptureFailed => ReturnCause::CaptureFailed,
                Cause::Chargeback => ReturnCause::Chargeback,
            },
            who: refund.who.to_string(),
            amount: refund.amount,
            at: refund.at.0,
        },
        Fact::Seat { .. } | Fact::Places { .. } | Fact::Buyer { .. } | Fact::Remembered(_) => {
            return None;
        }
    })
}

impl Taken {
    /// What is claimed, as it is stored.
    pub(crate) fn of(claim: &Claim) -> Self {
        Self {
            seats: claim.seats.iter().map(|seat| seat.0).collect(),
            places: claim.places.iter().map(|(section, quantity)| (section.0, *quantity)).collect(),
        }
    }
}

fn order_state(status: OrderStatus) -> OrderState {
    match status {
        OrderStatus::Open => OrderState::Open,
        OrderStatus::Confirmed => OrderState::Confirmed,
        OrderStatus::Cancelled => OrderState::Cancelled,
        OrderStatus::Expired => OrderState::Expired,
    }
}
