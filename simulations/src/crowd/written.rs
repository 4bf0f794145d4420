//! What a batch wrote, and what all rows say, in the oracle's words.

use taquilla_auditor::oracle::{Everything, SeatRow, Written};
use taquilla_engine::event::{Batch, Snapshot, Ticket};
use taquilla_engine::hold::HoldStatus;
use taquilla_engine::id::HoldId;
use taquilla_engine::section::SeatState;

use super::words::{self, Names};

fn seat_row(names: &Names, state: SeatState) -> SeatRow {
    match state {
        SeatState::Available => SeatRow::Free,
        SeatState::Held(hold) => SeatRow::Held(names.hold(hold)),
        SeatState::Sold(hold) => SeatRow::Sold(names.hold(hold)),
        SeatState::Blocked => unreachable!("nobody blocks seats here"),
    }
}

/// The rows that the batch changed.
pub(super) fn rows(batch: &Batch, names: &Names) -> Written {
    let placed = batch.holds_placed.values().map(|hold| (hold.id, hold.status));
    let ended = batch.holds_ended.iter().map(|(id, (status, _))| (*id, *status));
    let reduced = batch.holds_reduced.values().map(|it| (it.hold.id, it.hold.status));
    let ended = placed.chain(ended).chain(reduced);
    let ended = ended.filter(|(_, status)| *status != HoldStatus::Active);
    let ticket = |ticket: &Ticket| {
        (names.order(ticket.order), ticket.section.0, ticket.seat.map(|seat| seat.0))
    };
    Written {
        at: batch.now.0,
        seats: batch.seats.iter().map(|(it, to)| (it.0, seat_row(names, to.becomes))).collect(),
        areas: batch
            .places
            .iter()
            .map(|(it, to)| (it.0, (to.becomes.held, to.becomes.sold)))
            .collect(),
        buyers: batch.buyers.iter().map(|(it, to)| (words::buyer_number(it), to.becomes)).collect(),
        ended: ended.map(|(id, status)| (names.hold(id), words::fate(status))).collect(),
        tickets: batch.tickets.iter().map(ticket).collect(),
    }
}

/// All rows.
pub(super) fn everything(rows: &Snapshot, names: &Names) -> Everything {
    let ordered = |id: HoldId| rows.orders.iter().any(|order| order.hold == id);
    Everything {
        seats: rows.seats.iter().map(|(it, state)| (it.0, seat_row(names, *state))).collect(),
        areas: rows.places.iter().map(|(it, places)| (it.0, (places.held, places.sold))).collect(),
        buyers: rows.buyers.iter().map(|(it, seats)| (words::buyer_number(it), *seats)).collect(),
        holds: rows.holds.iter().map(|hold| names.shown(hold, ordered(hold.id))).collect(),
    }
}
