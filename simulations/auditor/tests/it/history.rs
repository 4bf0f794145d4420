//! A small run in which everything is as it should be.
//!
//! | buyer | did |
//! |---|---|
//! | ann | held, bought them, was refused five more |
//! | bob | held A-3, released it, was refused an order for it |
//! | cat | holds A-3, after bob |
//! | dan | holds two places on the floor |
//! | eve | held A-4, paid too late: voided |
//! | fay | holds A-5, has an open order |
//! | gus | was refused while bob and eve had them |
//! | hal | got all but ann's A-1, gave A-8 and two of three places back |
//! | ida | was refused before that, and not because of A-9 |
//! | jon | was refused the best six seats side by side |
//! | kim | bought, and an operator gave A-11 back |

use chrono::{DateTime, TimeDelta, Utc};
use taquilla_auditor::{
    Area, Attempt, AttemptStatus, Buyer, Cause, Entry, EntryKind, Event, Evidence, Hold,
    HoldStatus, Notice, Order, OrderStatus, Posting, Refund, RefundStatus, Rows, Seat, SeatState,
    Ticket, TicketStatus,
};
use uuid::Uuid;

use crate::told;

pub(crate) const ANN: u128 = 1;
pub(crate) const BOB: u128 = 2;
pub(crate) const CAT: u128 = 3;
pub(crate) const DAN: u128 = 4;
pub(crate) const EVE: u128 = 5;
pub(crate) const FAY: u128 = 6;
pub(crate) const HAL: u128 = 8;
pub(crate) const KIM: u128 = 11;

pub(crate) const EVENT: u128 = 0xe0;
const HOLD_SECONDS: f64 = 60.0;

/// The hold of a buyer; each has one at most. Orders and attempts likewise.
pub(crate) fn hold_of(buyer: u128) -> Uuid {
    Uuid::from_u128(0xa0 + buyer)
}

pub(crate) fn order_of(buyer: u128) -> Uuid {
    Uuid::from_u128(0xb0 + buyer)
}

pub(crate) fn attempt_of(buyer: u128) -> Uuid {
    Uuid::from_u128(0xc0 + buyer)
}

pub(crate) fn refund() -> Uuid {
    Uuid::from_u128(0xf0)
}

pub(crate) fn ticket(place: u128) -> Uuid {
    Uuid::from_u128(0xd0 + place)
}

/// So many seconds after the start.
pub(crate) fn at(seconds: f64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::microseconds((seconds * 1e6) as i64)
}

pub(crate) fn clean() -> Evidence {
    let holds = vec![
        hold(ANN, "ann", &[0, 1], 1.0, HoldStatus::Converted, Some(3.0)),
        hold(BOB, "bob", &[2], 2.0, HoldStatus::Released, Some(5.0)),
        hold(CAT, "cat", &[2], 10.0, HoldStatus::Active, None),
        Hold {
            places: vec![(1, 2)],
            quantity: 2,
            unit_prices: vec![100, 100],
            total: 202,
            ..floor()
        },
        hold(EVE, "eve", &[3], 1.0, HoldStatus::Expired, Some(61.5)),
        hold(FAY, "fay", &[4], 20.0, HoldStatus::Active, None),
        Hold {
            places: vec![(1, 1)],
            quantity: 2,
            unit_prices: vec![100, 100],
            total: 202,
            ..hals()
        },
        hold(KIM, "kim", &[9, 10], 12.0, HoldStatus::Converted, Some(13.0)),
    ];
    let rows = Rows {
        events: vec![Event {
            number: 1,
            id: Uuid::from_u128(EVENT),
            slug: "noche".into(),
            buyer_seats_max: 6,
            currency: "EUR".into(),
            planned_seats: 11,
            cancelled_at: None,
        }],
        seats: vec![
            seat(0, SeatState::Sold, Some(ANN)),
            seat(1, SeatState::Sold, Some(ANN)),
            seat(2, SeatState::Held, Some(CAT)),
            seat(3, SeatState::Available, None),
            seat(4, SeatState::Held, Some(FAY)),
            seat(5, SeatState::Blocked, None),
            seat(6, SeatState::Held, Some(HAL)),
            seat(7, SeatState::Available, None),
            seat(8, SeatState::Available, None),
            seat(9, SeatState::Sold, Some(KIM)),
            seat(10, SeatState::Available, None),
        ],
        areas: vec![Area {
            event: 1,
            section: 1,
            name: "FLOOR".into(),
            capacity: 10,
            held: 3,
            sold: 0,
        }],
        buyers: vec![
            buyer("ann", 2),
            buyer("bob", 0),
            buyer("cat", 1),
            buyer("dan", 2),
            buyer("eve", 0),
            buyer("fay", 1),
            buyer("hal", 2),
            buyer("kim", 1),
        ],
        holds,
        orders: vec![
            order(ANN, "ann", OrderStatus::Confirmed, 202),
            order(EVE, "eve", OrderStatus::Expired, 102),
            order(FAY, "fay", OrderStatus::Open, 102),
            order(KIM, "kim", OrderStatus::Confirmed, 202),
        ],
        tickets: vec![
            ticket_row(0),
            ticket_row(1),
            Ticket { order: order_of(KIM), ..ticket_row(9) },
            Ticket { order: order_of(KIM), status: TicketStatus::Void, ..ticket_row(10) },
        ],
        attempts: vec![
            attempt(ANN, 202, AttemptStatus::Captured),
            attempt(EVE, 102, AttemptStatus::Voided),
            attempt(KIM, 202, AttemptStatus::Captured),
        ],
        refunds: vec![Refund {
            id: refund(),
            order: order_of(KIM),
            amount: 101,
            currency: "EUR".into(),
            tickets: vec![ticket(10)],
            cause: Cause::Refund,
            status: RefundStatus::Settled,
            created_at: at(20.0),
        }],
        ledger: ledger(),
        notices: vec![Notice {
            id: "told".into(),
            kind: "news".into(),
            attempt: Some(attempt_of(EVE)),
            is_settled: true,
        }],
    };
    let books = vec![
        entry(EntryKind::Authorisation, ANN, 202),
        entry(EntryKind::Capture, ANN, 202),
        entry(EntryKind::Authorisation, KIM, 202),
        entry(EntryKind::Capture, KIM, 202),
        entry(EntryKind::Refund, KIM, 101),
        entry(EntryKind::Authorisation, EVE, 102),
        entry(EntryKind::Void, EVE, 102),
    ];
    Evidence { rows, books, recorded: told::everything() }
}

/// Kim's; eve's void comes last.
fn ledger() -> Vec<Posting> {
    let bought = |of| {
        [
            posting(of, "authorisation", "reserved", 202),
            posting(of, "authorisation", "pledged", -202),
            posting(of, "capture", "reserved", -202),
            posting(of, "capture", "pledged", 202),
            posting(of, "capture", "provider", 202),
            posting(of, "capture", "sales", -202),
            posting(of, "fee", "sales", 2),
            posting(of, "fee", "fees", -2),
        ]
    };
    let back = |kind, account, amount| Posting {
        name: refund().to_string(),
        ..posting(KIM, kind, account, amount)
    };
    let mut all: Vec<Posting> = bought(ANN).into_iter().chain(bought(KIM)).collect();
    all.extend([
        back("refund", "provider", -101),
        back("refund", "sales", 101),
        back("fee", "sales", -1),
        back("fee", "fees", 1),
    ]);
    all.extend(reserved(EVE));
    all.extend(let_go(EVE));
    all
}

fn reserved(of: u128) -> [Posting; 2] {
    [posting(of, "authorisation", "reserved", 102), posting(of, "authorisation", "pledged", -102)]
}

fn let_go(of: u128) -> [Posting; 2] {
    [posting(of, "void", "reserved", -102), posting(of, "void", "pledged", 102)]
}

pub(crate) fn posting(of: u128, kind: &str, account: &str, amount: i64) -> Posting {
    Posting {
        attempt: attempt_of(of),
        order: order_of(of),
        kind: kind.into(),
        name: String::new(),
        account: account.into(),
        amount,
        currency: "EUR".into(),
    }
}

fn hals() -> Hold {
    hold(HAL, "hal", &[6], 30.0, HoldStatus::Active, None)
}

fn floor() -> Hold {
    hold(DAN, "dan", &[], 4.0, HoldStatus::Active, None)
}

/// Each seat costs 100, and each hold a fee of 2.
fn hold(
    of: u128,
    buyer: &str,
    seats: &[i32],
    created: f64,
    status: HoldStatus,
    ended: Option<f64>,
) -> Hold {
    let quantity = seats.len();
    Hold {
        id: hold_of(of),
        event: 1,
        buyer: buyer.into(),
        seats: seats.to_vec(),
        places: vec![],
        quantity: quantity as i32,
        unit_prices: vec![100; quantity],
        fees: vec![2],
        total: 100 * quantity as i64 + 2,
        status,
        is_chosen: false,
        created_at: at(created),
        expires_at: at(created + HOLD_SECONDS),
        ended_at: ended.map(at),
    }
}

fn seat(index: i32, state: SeatState, owner: Option<u128>) -> Seat {
    let label = format!("A-{}", index + 1);
    let (row, hold) = ("1".into(), owner.map(hold_of));
    Seat { event: 1, index, section: 0, label, row, accessible: false, state, hold }
}

fn buyer(name: &str, seats: i32) -> Buyer {
    Buyer { event: 1, name: name.into(), seats }
}

fn order(of: u128, buyer: &str, status: OrderStatus, total: i64) -> Order {
    Order { id: order_of(of), hold: hold_of(of), buyer: buyer.into(), status, total }
}

pub(crate) fn ticket_row(seat: i32) -> Ticket {
    Ticket {
        id: ticket(seat as u128),
        order: order_of(ANN),
        event: 1,
        section: 0,
        seat: Some(seat),
        status: TicketStatus::Valid,
    }
}

fn attempt(of: u128, amount: i64, status: AttemptStatus) -> Attempt {
    Attempt {
        id: attempt_of(of),
        order: order_of(of),
        amount,
        currency: "EUR".into(),
        status,
        reference: Some(format!("ref-{of}")),
    }
}

/// A refund is kim's.
pub(crate) fn entry(kind: EntryKind, of: u128, amount: i64) -> Entry {
    Entry {
        idempotency_key: match kind {
            EntryKind::Refund => format!("{}-refund-1", refund()),
            EntryKind::Authorisation
            | EntryKind::Capture
            | EntryKind::Void
            | EntryKind::Chargeback => attempt_of(of).to_string(),
        },
        kind,
        reference: format!("ref-{of}"),
        order_id: order_of(of),
        attempt_id: attempt_of(of),
        amount,
        currency: "EUR".into(),
    }
}
