//! A batch as the parameters of `append_batch`, one array of rows for each of its types.

mod amendments;
mod composite;

use std::collections::BTreeMap;

use bytes::BytesMut;
use taquilla_engine::event::{Batch, Fact, ReceiptResult};
use taquilla_engine::id::{HoldId, OrderId, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::OrderStatus;
use taquilla_engine::section::SeatState;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use self::composite::{BoxedError, composite};
use super::lane::Values;
use crate::keys::seat_key;
use crate::stamp::Stamp;
use crate::{codec, codes, remarks};

composite! { SeatChange {
    seat_key: i64, state_was: i16, hold_was: Option<Uuid>, state: i16, hold_id: Option<Uuid>,
} }
composite! { AreaChange {
    section_no: i16, held_was: i32, sold_was: i32, held: i32, sold: i32,
} }
composite! { BuyerChange<'a> { buyer: &'a str, seats_were: i32, seats: i32 } }
composite! { NewHold<'a> {
    hold_id: Uuid, buyer: &'a str, fingerprint: &'a [u8], seats: Vec<i32>, quantity: i32,
    unit_prices: &'a [i64], fees: &'a [i64], total: i64, status: i16,
    created_at: Stamp, expires_at: Stamp, ended_at: Option<Stamp>, remarks: Option<serde_json::Value>,
} }
composite! { NewPlace { hold_id: Uuid, section_no: i16, place: i16, quantity: i32 } }
composite! { HoldEnd { hold_id: Uuid, status: i16, ended_at: Stamp } }
composite! { NewOrder<'a> {
    order_id: Uuid, hold_id: Uuid, buyer: &'a str, status: i16, total: i64,
    created_at: Stamp, ended_at: Option<Stamp>,
} }
composite! { OrderEnd { order_id: Uuid, status: i16, ended_at: Stamp } }
composite! { AttemptVerdict { attempt_id: Uuid, status: &'static str } }
composite! { NewTicket {
    ticket_id: Uuid, order_id: Uuid, section_no: i16, seat_key: Option<i64>, status: i16,
} }
composite! { NewReceipt<'a> {
    receipt_id: Uuid, fingerprint: &'a [u8], result: i16, order_id: Option<Uuid>,
    detail: Option<&'static str>, created_at: Stamp,
} }

/// In the making.
pub(super) struct Parameters<'a>(Values<'a>);

impl<'a> Parameters<'a> {
    /// Of a batch that only matches the head.
    pub(super) fn of_check(batch: &Batch, sent_at: Moment) -> Values<'a> {
        let mut parameters = Self(Values::default());
        parameters.head(batch, sent_at);
        parameters.0
    }

    /// Of a batch with rows.
    pub(super) fn of(batch: &'a Batch, sent_at: Moment) -> Values<'a> {
        let mut parameters = Self(Values::default());
        parameters.head(batch, sent_at);
        parameters.stock(batch);
        parameters.holds(batch);
        parameters.orders(batch);
        parameters.value(amendments::of(batch));
        parameters.value(codec::encode(&batch.history));
        parameters.0
    }

    fn value(&mut self, value: impl ToSql + Sync + Send + 'a) {
        self.0.push(value);
    }

    fn rows<T: ToSql + Sync + Send + 'a>(&mut self, rows: impl Iterator<Item = T>) {
        self.value(rows.collect::<Vec<T>>());
    }

    fn head(&mut self, batch: &Batch, sent_at: Moment) {
        self.value(batch.event.0);
        self.value(batch.epoch.0);
        self.value(batch.sequence.0);
        self.value(Stamp(sent_at));
    }

    /// Seats, general areas, and who has how many.
    fn stock(&mut self, batch: &'a Batch) {
        self.rows(batch.seats.iter().map(|(seat, change)| SeatChange {
            seat_key: seat_key(batch.event, *seat),
            state_was: state(change.was),
            hold_was: owner(change.was),
            state: state(change.becomes),
            hold_id: owner(change.becomes),
        }));
        self.rows(batch.places.iter().map(|(section, change)| AreaChange {
            section_no: section_no(*section),
            held_was: int(change.was.held),
            sold_was: int(change.was.sold),
            held: int(change.becomes.held),
            sold: int(change.becomes.sold),
        }));
        self.rows(batch.buyers.iter().map(|(buyer, change)| BuyerChange {
            buyer: buyer.as_str(),
            seats_were: int(change.was),
            seats: int(change.becomes),
        }));
    }

    fn holds(&mut self, batch: &'a Batch) {
        let ends = ends_of_new_holds(batch);
        let holds = || batch.holds_placed.values();
        self.rows(holds().map(|hold| NewHold {
            hold_id: hold.id.uuid(),
            buyer: hold.buyer.as_str(),
            fingerprint: &hold.fingerprint,
            seats: hold.claim.seats.iter().map(|seat| int(seat.0)).collect(),
            quantity: int(hold.claim.quantity()),
            unit_prices: &hold.unit_prices,
            fees: &hold.quote.fees,
            total: hold.quote.total,
            status: codes::of_hold_status(hold.status),
            created_at: Stamp(hold.created_at),
            expires_at: Stamp(hold.expires_at),
            ended_at: ends.get(&hold.id).copied().map(Stamp),
            remarks: hold.remarks.as_deref().map(remarks::to_json),
        }));
        self.rows(holds().flat_map(|hold| {
            let places = (0_i16..).zip(&hold.claim.places);
            places.map(|(place, (section, quantity))| NewPlace {
                hold_id: hold.id.uuid(),
                section_no: section_no(*section),
                place,
                quantity: int(*quantity),
            })
        }));
        self.rows(batch.holds_ended.iter().map(|(hold, (status, at))| HoldEnd {
            hold_id: hold.uuid(),
            status: codes::of_hold_status(*status),
            ended_at: Stamp(*at),
        }));
    }

    fn orders(&mut self, batch: &'a Batch) {
        let ends = ends_of_new_orders(batch);
        self.rows(batch.orders_placed.values().map(|order| NewOrder {
            order_id: order.id.uuid(),
            hold_id: order.hold.uuid(),
            buyer: order.buyer.as_str(),
            status: codes::of_order_status(order.status),
            total: order.total,
            created_at: Stamp(order.created_at),
            ended_at: ends.get(&order.id).copied().map(Stamp),
        }));
        self.rows(batch.orders_ended.iter().map(|(order, (status, at))| OrderEnd {
            order_id: order.uuid(),
            status: codes::of_order_status(*status),
            ended_at: Stamp(*at),
        }));
        self.rows(batch.attempts.iter().map(|(attempt, verdict)| AttemptVerdict {
            attempt_id: attempt.uuid(),
            status: codes::of_verdict(*verdict),
        }));
        let returned = batch.tickets_returned();
        self.rows(batch.tickets.iter().map(|ticket| NewTicket {
            ticket_id: ticket.id.uuid(),
            order_id: ticket.order.uuid(),
            section_no: section_no(ticket.section),
            seat_key: ticket.seat.map(|seat| seat_key(batch.event, seat)),
            status: codes::of_new_ticket(returned.contains(&ticket.id)),
        }));
        self.rows(batch.receipts.iter().map(|receipt| {
            let (result, order_id, detail) = result(&receipt.result);
            NewReceipt {
                receipt_id: receipt.id.uuid(),
                fingerprint: &receipt.fingerprint,
                result,
                order_id,
                detail,
                created_at: Stamp(receipt.at),
            }
        }));
    }
}

/// When each hold ended that the same batch also places; only its history remembers that.
fn ends_of_new_holds(batch: &Batch) -> BTreeMap<HoldId, Moment> {
    let mut ends = BTreeMap::new();
    for fact in &batch.history {
        if let Fact::HoldEnded { hold, at, .. } = fact
            && batch.holds_placed.contains_key(hold)
        {
            ends.insert(*hold, *at);
        }
    }
    ends
}

/// The same of orders; one that needs no payment ends as it is made.
fn ends_of_new_orders(batch: &Batch) -> BTreeMap<OrderId, Moment> {
    let mut ends = BTreeMap::new();
    for fact in &batch.history {
        if let Fact::OrderEnded { order, at, .. } = fact
            && batch.orders_placed.contains_key(order)
        {
            ends.insert(*order, *at);
        } else if let Fact::OrderPlaced(order) = fact
            && order.status != OrderStatus::Open
        {
            ends.insert(order.id, order.created_at);
        }
    }
    ends
}

fn state(seat: SeatState) -> i16 {
    match seat {
        SeatState::Available => 0,
        SeatState::Held(_) => 1,
        SeatState::Sold(_) => 2,
        SeatState::Blocked => 3,
    }
}

fn owner(seat: SeatState) -> Option<Uuid> {
    match seat {
        SeatState::Held(hold) | SeatState::Sold(hold) => Some(hold.uuid()),
        SeatState::Available | SeatState::Blocked => None,
    }
}

/// `receipts.result`, with the order that it names or the word of what the hold was.
fn result(result: &ReceiptResult) -> (i16, Option<Uuid>, Option<&'static str>) {
    match result {
        ReceiptResult::Order { order, created: true } => (0, Some(order.uuid()), None),
        ReceiptResult::Order { order, created: false } => (1, Some(order.uuid()), None),
        ReceiptResult::HoldNotActive(status) => (2, None, Some(status.code())),
    }
}

fn int(count: u32) -> i32 {
    i32::try_from(count).expect("counts of an event stay far below 2^31")
}

fn section_no(section: SectionIndex) -> i16 {
    i16::try_from(section.0).expect("an event has far fewer than 2^15 sections")
}
