//! A batch as the parameters of `append_batch`, column by column in the function's order.

mod amendments;

use std::collections::BTreeMap;

use taquilla_engine::event::{Batch, Fact, ReceiptResult};
use taquilla_engine::id::{HoldId, OrderId, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::OrderStatus;
use taquilla_engine::section::SeatState;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::keys::seat_key;
use crate::stamp::Stamp;
use crate::{codec, codes, remarks};

/// Values in the order of a statement's parameters.
pub(super) struct Parameters<'a>(Vec<Box<dyn ToSql + Sync + Send + 'a>>);

impl<'a> Parameters<'a> {
    /// Of a batch that only matches the head.
    pub(super) fn of_check(batch: &Batch, sent_at: Moment) -> Self {
        let mut parameters = Self(Vec::new());
        parameters.head(batch, sent_at);
        parameters
    }

    /// Of a batch with rows.
    pub(super) fn of(batch: &'a Batch, sent_at: Moment) -> Self {
        let mut parameters = Self(Vec::new());
        parameters.head(batch, sent_at);
        parameters.seats(batch);
        parameters.general_areas(batch);
        parameters.buyers(batch);
        parameters.holds_placed(batch);
        parameters.lists_of_holds(batch);
        parameters.places_of_holds(batch);
        parameters.holds_ended(batch);
        parameters.orders_placed(batch);
        parameters.orders_ended(batch);
        parameters.attempts(batch);
        parameters.tickets(batch);
        parameters.receipts(batch);
        parameters.value(amendments::of(batch));
        parameters.value(codec::encode(&batch.history));
        parameters
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(dyn ToSql + Sync)> {
        self.0.iter().map(|value| &**value as &(dyn ToSql + Sync))
    }

    fn value(&mut self, value: impl ToSql + Sync + Send + 'a) {
        self.0.push(Box::new(value));
    }

    fn column<T: ToSql + Sync + Send + 'a>(&mut self, values: impl Iterator<Item = T>) {
        self.value(values.collect::<Vec<T>>());
    }

    fn head(&mut self, batch: &Batch, sent_at: Moment) {
        self.value(batch.event.0);
        self.value(batch.epoch.0);
        self.value(batch.sequence.0);
        self.value(Stamp(sent_at));
    }

    fn seats(&mut self, batch: &'a Batch) {
        let changes = || batch.seats.values();
        self.column(batch.seats.keys().map(|seat| seat_key(batch.event, *seat)));
        self.column(changes().map(|change| state(change.was)));
        self.column(changes().map(|change| owner(change.was)));
        self.column(changes().map(|change| state(change.becomes)));
        self.column(changes().map(|change| owner(change.becomes)));
    }

    fn general_areas(&mut self, batch: &'a Batch) {
        let changes = || batch.places.values();
        self.column(batch.places.keys().map(|section| section_no(*section)));
        self.column(changes().map(|change| int(change.was.held)));
        self.column(changes().map(|change| int(change.was.sold)));
        self.column(changes().map(|change| int(change.becomes.held)));
        self.column(changes().map(|change| int(change.becomes.sold)));
    }

    fn buyers(&mut self, batch: &'a Batch) {
        self.column(batch.buyers.keys().map(|buyer| buyer.as_str()));
        self.column(batch.buyers.values().map(|change| int(change.was)));
        self.column(batch.buyers.values().map(|change| int(change.becomes)));
    }

    fn holds_placed(&mut self, batch: &'a Batch) {
        let holds = || batch.holds_placed.values();
        let ends = ends_of_new_holds(batch);
        self.column(holds().map(|hold| hold.id.uuid()));
        self.column(holds().map(|hold| hold.buyer.as_str()));
        self.column(holds().map(|hold| hold.fingerprint.as_slice()));
        self.column(holds().map(|hold| int(hold.claim.quantity())));
        self.column(holds().map(|hold| hold.quote.total));
        self.column(holds().map(|hold| codes::of_hold_status(hold.status)));
        self.column(holds().map(|hold| Stamp(hold.created_at)));
        self.column(holds().map(|hold| Stamp(hold.expires_at)));
        self.column(holds().map(|hold| ends.get(&hold.id).copied().map(Stamp)));
        self.column(holds().map(|hold| hold.remarks.as_deref().map(remarks::to_json)));
    }

    fn lists_of_holds(&mut self, batch: &'a Batch) {
        let holds = || batch.holds_placed.values();
        self.slices(holds().map(|hold| hold.claim.seats.iter().map(|seat| int(seat.0))));
        self.slices(holds().map(|hold| hold.unit_prices.iter().copied()));
        self.slices(holds().map(|hold| hold.quote.fees.iter().copied()));
    }

    /// One row for each general section of each hold.
    fn places_of_holds(&mut self, batch: &'a Batch) {
        let places = || {
            batch.holds_placed.values().flat_map(|hold| {
                (0_i16..).zip(&hold.claim.places).map(move |(place, it)| (hold.id, place, it))
            })
        };
        self.column(places().map(|(hold, _, _)| hold.uuid()));
        self.column(places().map(|(_, _, (section, _))| section_no(*section)));
        self.column(places().map(|(_, place, _)| place));
        self.column(places().map(|(_, _, (_, quantity))| int(*quantity)));
    }

    /// Lists of different lengths: where each ends in the flat column, its length, the flat column.
    fn slices<T: ToSql + Sync + Send + 'a>(
        &mut self,
        lists: impl Iterator<Item = impl ExactSizeIterator<Item = T>>,
    ) {
        let (mut ends, mut lengths, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for list in lists {
            lengths.push(length(list.len()));
            all.extend(list);
            ends.push(length(all.len()));
        }
        self.value(ends);
        self.value(lengths);
        self.value(all);
    }

    fn holds_ended(&mut self, batch: &'a Batch) {
        let ended = || batch.holds_ended.values();
        self.column(batch.holds_ended.keys().map(|hold| hold.uuid()));
        self.column(ended().map(|(status, _)| codes::of_hold_status(*status)));
        self.column(ended().map(|(_, at)| Stamp(*at)));
    }

    fn orders_placed(&mut self, batch: &'a Batch) {
        let orders = || batch.orders_placed.values();
        let ends = ends_of_new_orders(batch);
        self.column(orders().map(|order| order.id.uuid()));
        self.column(orders().map(|order| order.hold.uuid()));
        self.column(orders().map(|order| order.buyer.as_str()));
        self.column(orders().map(|order| codes::of_order_status(order.status)));
        self.column(orders().map(|order| order.total));
        self.column(orders().map(|order| Stamp(order.created_at)));
        self.column(orders().map(|order| ends.get(&order.id).copied().map(Stamp)));
    }

    fn orders_ended(&mut self, batch: &'a Batch) {
        let ended = || batch.orders_ended.values();
        self.column(batch.orders_ended.keys().map(|order| order.uuid()));
        self.column(ended().map(|(status, _)| codes::of_order_status(*status)));
        self.column(ended().map(|(_, at)| Stamp(*at)));
    }

    fn attempts(&mut self, batch: &'a Batch) {
        self.column(batch.attempts.keys().map(|attempt| attempt.uuid()));
        self.column(batch.attempts.values().map(|verdict| codes::of_verdict(*verdict)));
    }

    fn tickets(&mut self, batch: &'a Batch) {
        let tickets = || batch.tickets.iter();
        self.column(tickets().map(|ticket| ticket.id.uuid()));
        self.column(tickets().map(|ticket| ticket.order.uuid()));
        self.column(tickets().map(|ticket| section_no(ticket.section)));
        self.column(tickets().map(|ticket| ticket.seat.map(|seat| seat_key(batch.event, seat))));
    }

    fn receipts(&mut self, batch: &'a Batch) {
        let receipts = || batch.receipts.iter();
        self.column(receipts().map(|receipt| receipt.id.uuid()));
        self.column(receipts().map(|receipt| receipt.fingerprint.as_slice()));
        self.column(receipts().map(|receipt| result(&receipt.result).0));
        self.column(receipts().map(|receipt| result(&receipt.result).1));
        self.column(receipts().map(|receipt| result(&receipt.result).2));
        self.column(receipts().map(|receipt| Stamp(receipt.at)));
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

fn length(count: usize) -> i32 {
    i32::try_from(count).expect("a batch's lists stay far below 2^31")
}

fn section_no(section: SectionIndex) -> i16 {
    i16::try_from(section.0).expect("an event has far fewer than 2^15 sections")
}
