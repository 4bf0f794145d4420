//! What a batch wrote, and what all rows say, in the oracle's words.

use taquilla_auditor::oracle::{
    Everything, OrderRow, OrderState, ReceiptRow, SeatRow, TicketRow, Written,
};
use taquilla_engine::event::{Batch, Receipt, ReceiptResult, Terms, Ticket};
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::HoldId;
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::order::{Order, OrderStatus};
use taquilla_engine::section::SeatState;

use super::operations;
use super::venue::{self, EVENT};
use super::words::{self, Names};

fn seat_row(names: &Names, state: SeatState) -> SeatRow {
    match state {
        SeatState::Available => SeatRow::Free,
        SeatState::Held(hold) => SeatRow::Held(names.hold(hold)),
        SeatState::Sold(hold) => SeatRow::Sold(names.hold(hold)),
        SeatState::Blocked => SeatRow::Blocked,
    }
}

/// The rows that the batch changed.
pub(super) fn rows(batch: &Batch, names: &Names) -> Written {
    let placed = batch.holds_placed.values().map(|hold| (hold.id, hold.status));
    let ended = batch.holds_ended.iter().map(|(id, (status, _))| (*id, *status));
    let reduced = batch.holds_reduced.values().map(|it| (it.hold.id, it.hold.status));
    let ended = placed.chain(ended).chain(reduced);
    let ended = ended.filter(|(_, status)| *status != HoldStatus::Active);
    Written {
        at: batch.now.0,
        seats: batch.seats.iter().map(|(it, to)| (it.0, seat_row(names, to.becomes))).collect(),
        areas: batch
            .places
            .iter()
            .map(|(it, to)| (it.0, (to.becomes.held, to.becomes.sold)))
            .collect(),
        buyers: batch.buyers.iter().map(|(it, to)| (words::buyer_number(it), to.becomes)).collect(),
        ended: ended.map(|(id, status)| (names.hold(id), words::state(status))).collect(),
        tickets: batch.tickets.iter().map(|it| ticket_row(names, it)).collect(),
        refunds: batch.refunds.iter().map(|it| names.refund_shown(it)).collect(),
        deeds: batch.deeds.iter().map(|(deed, _)| operations::number(deed)).collect(),
    }
}

fn ticket_row(names: &Names, ticket: &Ticket) -> TicketRow {
    (names.order(ticket.order), ticket.section.0, ticket.seat.map(|seat| seat.0))
}

/// All rows. `terms` are those that the event was opened with.
pub(super) fn everything(journal: &MemoryJournal, terms: &Terms, names: &Names) -> Everything {
    let rows = journal.peek(EVENT);
    let ordered = |id: HoldId| rows.orders.iter().any(|order| order.hold == id);
    let (terms, capacities) = venue::told(&terms.amended(&rows.amendment));
    let (deeds, tickets) = (journal.deeds(EVENT), journal.tickets(EVENT));
    let are_void = journal.void_tickets(EVENT);
    let void = tickets.iter().filter(|ticket| are_void.contains(&ticket.id));
    let refunds = rows.orders.iter().flat_map(|order| &order.refunds);
    Everything {
        terms,
        capacities,
        seats: rows.seats.iter().map(|(it, state)| (it.0, seat_row(names, *state))).collect(),
        areas: rows.places.iter().map(|(it, places)| (it.0, (places.held, places.sold))).collect(),
        buyers: rows.buyers.iter().map(|(it, seats)| (words::buyer_number(it), *seats)).collect(),
        holds: rows.holds.iter().map(|hold| names.shown(hold, ordered(hold.id))).collect(),
        orders: rows.orders.iter().map(|order| order_row(names, order)).collect(),
        receipts: rows.receipts.iter().map(|receipt| receipt_row(names, receipt)).collect(),
        tickets: tickets.iter().map(|ticket| ticket_row(names, ticket)).collect(),
        void: void.map(|it| (names.order(it.order), names.ticket(it.id))).collect(),
        refunds: refunds.map(|refund| names.refund_shown(refund)).collect(),
        deeds: deeds.iter().map(|(deed, _)| operations::number(deed)).collect(),
    }
}

fn order_row(names: &Names, order: &Order) -> OrderRow {
    let status = match order.status {
        OrderStatus::Open => OrderState::Open,
        OrderStatus::Confirmed => OrderState::Confirmed,
        OrderStatus::Cancelled => OrderState::Cancelled,
        OrderStatus::Expired => OrderState::Expired,
    };
    OrderRow {
        name: names.hold(order.hold),
        status,
        total: order.total,
        created_at: order.created_at.0,
        verdicts: names.verdicts(order),
    }
}

fn receipt_row(names: &Names, receipt: &Receipt) -> ReceiptRow {
    let (buyer, key) = names.receipt(receipt.id);
    let result = match receipt.result {
        ReceiptResult::Order { order, created } => Ok((names.order(order), created)),
        ReceiptResult::HoldNotActive(status) => Err(words::state(status)),
    };
    ReceiptRow { buyer, key, result }
}
