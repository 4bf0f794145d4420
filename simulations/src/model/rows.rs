//! The event's tables as one batch leaves them, each row compared with what the batch believed, as
//! the database's statement compares them.

use std::collections::BTreeMap;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::event::{Amendment, Batch, Fact, Receipt, Snapshot};
use taquilla_engine::hold::{Hold, HoldStatus};
use taquilla_engine::id::{
    AttemptId, Epoch, HoldId, OrderId, ReceiptId, SeatIndex, Sequence, TicketId,
};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::section::SeatState;

/// Rows on the machine's shelf.
pub(super) type RowsId = u32;

/// A ticket of an order, in force or void.
#[derive(Clone, Copy, Debug)]
pub(super) struct TicketRow {
    pub(super) order: OrderId,
    pub(super) seat: Option<SeatIndex>,
    pub(super) void: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The process that claimed last.
    pub(super) owner: u8,
    pub(super) epoch: Epoch,
    pub(super) sequence: Sequence,
    pub(super) decided_at: Moment,
    pub(super) seats: BTreeMap<SeatIndex, SeatState>,
    pub(super) buyers: BTreeMap<BuyerId, u32>,
    pub(super) holds: BTreeMap<HoldId, Hold>,
    pub(super) orders: BTreeMap<OrderId, Order>,
    pub(super) verdicts: BTreeMap<AttemptId, Verdict>,
    pub(super) tickets: BTreeMap<TicketId, TicketRow>,
    receipts: BTreeMap<ReceiptId, Receipt>,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            owner: 0,
            epoch: Epoch(0),
            sequence: Sequence(0),
            decided_at: Moment(0),
            seats: BTreeMap::new(),
            buyers: BTreeMap::new(),
            holds: BTreeMap::new(),
            orders: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            tickets: BTreeMap::new(),
            receipts: BTreeMap::new(),
        }
    }

    /// The rows after the batch, whose fence has been passed; else the first row that is not as
    /// believed.
    pub(super) fn written(&self, batch: &Batch) -> Result<Self, String> {
        let mut rows = self.clone();
        rows.sequence = if batch.is_check() { rows.sequence } else { rows.sequence.next() };
        rows.decided_at = rows.decided_at.max(batch.now);
        for (seat, change) in &batch.seats {
            let before = rows.seats.insert(*seat, change.becomes).unwrap_or(SeatState::Available);
            as_believed(before == change.was, seat)?;
        }
        rows.seats.retain(|_, state| *state != SeatState::Available);
        for (buyer, change) in &batch.buyers {
            let before = rows.buyers.insert(buyer.clone(), change.becomes).unwrap_or(0);
            as_believed(before == change.was, buyer)?;
        }
        for (id, hold) in &batch.holds_placed {
            as_believed(rows.holds.insert(*id, hold.clone()).is_none(), id)?;
        }
        for (id, (status, _)) in &batch.holds_ended {
            let hold = rows.holds.get_mut(id).filter(|hold| hold.status == HoldStatus::Active);
            hold.ok_or_else(|| believed(id))?.status = *status;
        }
        for (id, reduction) in &batch.holds_reduced {
            let hold = rows.holds.get_mut(id).filter(|hold| hold.status == HoldStatus::Active);
            let hold = hold.ok_or_else(|| believed(id))?;
            as_believed(hold.claim.quantity() == reduction.was, id)?;
            *hold = reduction.hold.clone();
        }
        for (id, order) in &batch.orders_placed {
            as_believed(rows.orders.insert(*id, order.clone()).is_none(), id)?;
        }
        for (id, (status, _)) in &batch.orders_ended {
            let order = rows.orders.get_mut(id).filter(|order| order.status == OrderStatus::Open);
            order.ok_or_else(|| believed(id))?.status = *status;
        }
        for (id, verdict) in &batch.attempts {
            as_believed(rows.verdicts.insert(*id, *verdict).is_none(), id)?;
        }
        rows.change_tickets(batch)?;
        for receipt in &batch.receipts {
            let before = rows.receipts.insert(receipt.id, receipt.clone());
            as_believed(before.is_none(), &receipt.id)?;
        }
        rows.judge_orders(&batch.history);
        Ok(rows)
    }

    /// What comes back goes first: it may be sold again in the same batch, with what it sold itself.
    fn change_tickets(&mut self, batch: &Batch) -> Result<(), String> {
        let returned = batch.tickets_returned();
        let issued = |id: &TicketId| batch.tickets.iter().any(|ticket| ticket.id == *id);
        for id in returned.iter().filter(|id| !issued(id)) {
            let ticket = self.tickets.get_mut(id).filter(|ticket| !ticket.void);
            ticket.ok_or_else(|| believed(id))?.void = true;
        }
        for ticket in &batch.tickets {
            let void = returned.contains(&ticket.id);
            let row = TicketRow { order: ticket.order, seat: ticket.seat, void };
            let taken = self.tickets.values().any(|it| !it.void && it.seat == row.seat);
            as_believed(void || !taken, &ticket.id)?;
            as_believed(self.tickets.insert(ticket.id, row).is_none(), &ticket.id)?;
        }
        for refund in &batch.refunds {
            let order = self.orders.get_mut(&refund.order);
            let order = order.filter(|order| order.status == OrderStatus::Confirmed);
            order.ok_or_else(|| believed(&refund.order))?.refunds.push(refund.clone());
        }
        Ok(())
    }

    /// An order is read with the verdicts of its attempts.
    fn judge_orders(&mut self, history: &[Fact]) {
        for fact in history {
            if let Fact::AttemptDecided { attempt, order, verdict } = fact
                && let Some(order) = self.orders.get_mut(order)
                && order.verdict(*attempt).is_none()
            {
                order.verdicts.push((*attempt, *verdict));
            }
        }
    }

    /// The rows under a new epoch.
    pub(super) fn raised(&self, process: u8) -> Self {
        Self { owner: process, epoch: Epoch(self.epoch.0 + 1), ..self.clone() }
    }

    /// What a new owner reads.
    pub(super) fn snapshot(&self) -> Snapshot {
        let mut holds: Vec<Hold> = self.holds.values().cloned().collect();
        holds.sort_by_key(|hold| (hold.created_at, hold.id));
        for hold in &mut holds {
            // The row of a hold knows nothing of its order.
            hold.order = None;
        }
        Snapshot {
            plan: None,
            epoch: self.epoch,
            sequence: self.sequence,
            decided_at: self.decided_at,
            seats: self.seats.iter().map(|(seat, state)| (*seat, *state)).collect(),
            places: Vec::new(),
            holds,
            orders: self.orders.values().cloned().collect(),
            buyers: self.buyers.iter().map(|(buyer, seats)| (buyer.clone(), *seats)).collect(),
            receipts: self.receipts.values().cloned().collect(),
            amendment: Amendment::default(),
        }
    }
}

fn as_believed(it_is: bool, row: &impl std::fmt::Debug) -> Result<(), String> {
    if it_is { Ok(()) } else { Err(believed(row)) }
}

fn believed(row: &impl std::fmt::Debug) -> String {
    format!("the row of {row:?} is not what memory believed")
}
