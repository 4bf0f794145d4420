//! The rows of one event in memory, and what a batch makes of them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::super::AppendError;
use crate::buyer::BuyerId;
use crate::event::{Amendment, Batch, Fact, Places, Receipt, Snapshot, Ticket};
use crate::hold::{Hold, HoldStatus};
use crate::id::{AttemptId, Epoch, HoldId, OrderId, SeatIndex, SectionIndex, Sequence, TicketId};
use crate::moment::Moment;
use crate::operation::Deed;
use crate::order::{Order, OrderStatus, Verdict};
use crate::section::SeatState;

/// How long a key has the one result.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Rows of one event.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The process that claimed last.
    pub(super) owner: u32,
    pub(super) epoch: Epoch,
    sequence: Sequence,
    decided_at: Moment,
    amendment: Amendment,
    seats: HashMap<SeatIndex, SeatState>,
    places: HashMap<SectionIndex, Places>,
    buyers: HashMap<BuyerId, u32>,
    holds: HashMap<HoldId, Hold>,
    orders: HashMap<OrderId, Order>,
    verdicts: HashMap<AttemptId, Verdict>,
    pub(super) tickets: Vec<Ticket>,
    /// Those of them that are void.
    pub(super) void: HashSet<TicketId>,
    receipts: Vec<Receipt>,
    pub(super) deeds: Vec<(Deed, Moment)>,
    history: Vec<Fact>,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            owner: 0,
            epoch: Epoch(0),
            sequence: Sequence(0),
            decided_at: Moment(i64::MIN),
            amendment: Amendment::default(),
            seats: HashMap::new(),
            places: HashMap::new(),
            buyers: HashMap::new(),
            holds: HashMap::new(),
            orders: HashMap::new(),
            verdicts: HashMap::new(),
            tickets: Vec::new(),
            void: HashSet::new(),
            receipts: Vec::new(),
            deeds: Vec::new(),
            history: Vec::new(),
        }
    }

    /// The rows after the batch; an error leaves `self` as it was.
    pub(super) fn write(&mut self, batch: &Batch) -> Result<(), AppendError> {
        if (self.epoch, self.sequence) != (batch.epoch, batch.sequence) {
            return Err(AppendError::Fenced);
        }
        let known = batch.holds_placed.keys().filter(|hold| self.holds.contains_key(hold));
        let known: Vec<HoldId> = known.copied().collect();
        if !known.is_empty() {
            return Err(AppendError::KnownHolds(known));
        }
        let mut rows = self.clone();
        rows.decided_at = rows.decided_at.max(batch.now);
        rows.sequence = batch.sequence_after();
        rows.change_stock(batch)?;
        rows.change_holds(batch)?;
        rows.change_orders(batch)?;
        rows.change_terms(batch)?;
        rows.change_tickets(batch)?;
        for receipt in &batch.receipts {
            let young = |known: &&Receipt| known.id == receipt.id && known.at + DAY > receipt.at;
            expect(!rows.receipts.iter().any(|known| young(&known)), "receipts", &receipt.id)?;
            rows.receipts.retain(|known| known.id != receipt.id);
            rows.receipts.push(receipt.clone());
        }
        rows.history.extend(batch.history.iter().cloned());
        *self = rows;
        Ok(())
    }

    fn change_stock(&mut self, batch: &Batch) -> Result<(), AppendError> {
        for (seat, change) in &batch.seats {
            let before = self.seats.insert(*seat, change.becomes).unwrap_or(SeatState::Available);
            expect(before == change.was, "seats", seat)?;
        }
        for (section, change) in &batch.places {
            let before = self.places.insert(*section, change.becomes).unwrap_or_default();
            expect(before == change.was, "general_areas", section)?;
        }
        for (buyer, change) in &batch.buyers {
            let before = self.buyers.insert(buyer.clone(), change.becomes).unwrap_or(0);
            expect(before == change.was, "buyers", buyer)?;
        }
        Ok(())
    }

    fn change_holds(&mut self, batch: &Batch) -> Result<(), AppendError> {
        self.holds.extend(batch.holds_placed.clone());
        for (id, (status, _)) in &batch.holds_ended {
            let hold = self.holds.get_mut(id).filter(|hold| hold.status == HoldStatus::Active);
            let Some(hold) = hold else { return expect(false, "holds", id) };
            hold.status = *status;
        }
        for (id, change) in &batch.holds_extended {
            let hold = self.holds.get_mut(id).filter(|hold| !hold.extended);
            let hold = hold.filter(|hold| hold.expires_at == change.was);
            let Some(hold) = hold else { return expect(false, "holds", id) };
            (hold.expires_at, hold.extended) = (change.becomes, true);
        }
        for (id, reduction) in &batch.holds_reduced {
            let hold = self.holds.get_mut(id).filter(|hold| hold.status == HoldStatus::Active);
            let Some(hold) = hold else { return expect(false, "holds", id) };
            expect(hold.claim.quantity() == reduction.was, "holds", id)?;
            *hold = Hold { order: hold.order, ..reduction.hold.clone() };
        }
        Ok(())
    }

    fn change_orders(&mut self, batch: &Batch) -> Result<(), AppendError> {
        for (id, order) in &batch.orders_placed {
            expect(self.orders.insert(*id, order.clone()).is_none(), "orders", id)?;
        }
        for (id, (status, _)) in &batch.orders_ended {
            let order = self.orders.get_mut(id).filter(|order| order.status == OrderStatus::Open);
            let Some(order) = order else { return expect(false, "orders", id) };
            order.status = *status;
        }
        for fact in &batch.history {
            if let Fact::AttemptDecided { attempt, order, verdict } = fact {
                expect(self.verdicts.insert(*attempt, *verdict).is_none(), "attempts", attempt)?;
                let Some(order) = self.orders.get_mut(order) else {
                    return expect(false, "orders", order);
                };
                if order.verdict(*attempt).is_none() {
                    order.verdicts.push((*attempt, *verdict));
                }
            }
        }
        Ok(())
    }

    /// Old tickets come back before new ones are issued, since both may be for one seat.
    fn change_tickets(&mut self, batch: &Batch) -> Result<(), AppendError> {
        for refund in &batch.refunds {
            for id in &refund.tickets {
                let issued = self.tickets.iter().chain(&batch.tickets).any(|it| it.id == *id);
                expect(issued && self.void.insert(*id), "tickets", id)?;
            }
            let order = self.orders.get_mut(&refund.order);
            let order = order.filter(|order| order.status == OrderStatus::Confirmed);
            let Some(order) = order else { return expect(false, "orders", &refund.order) };
            let new = order.refunds.iter().all(|known| known.id != refund.id);
            expect(new, "refunds", &refund.id)?;
            order.refunds.push(refund.clone());
        }
        for ticket in &batch.tickets {
            let in_force = |it: &&Ticket| !self.void.contains(&it.id) && it.seat.is_some();
            let taken = self.tickets.iter().filter(in_force).any(|it| it.seat == ticket.seat);
            expect(!taken || self.void.contains(&ticket.id), "tickets", &ticket.id)?;
            self.tickets.push(ticket.clone());
        }
        Ok(())
    }

    fn change_terms(&mut self, batch: &Batch) -> Result<(), AppendError> {
        for (section, change) in &batch.capacities {
            let known = self.amendment.capacities.iter_mut().find(|(of, _)| of == section);
            match known {
                Some((_, capacity)) => {
                    expect(*capacity == change.was, "general_areas", section)?;
                    *capacity = change.becomes;
                }
                None => self.amendment.capacities.push((*section, change.becomes)),
            }
        }
        if let Some((amendment, _)) = &batch.terms {
            self.amendment.sale = amendment.sale.clone().or(self.amendment.sale.take());
            for (tier, price) in &amendment.prices {
                self.amendment.prices.retain(|(of, _)| of != tier);
                self.amendment.prices.push((*tier, *price));
            }
        }
        for (deed, at) in &batch.deeds {
            let known = self.deeds.iter().any(|(known, _)| known.id == deed.id);
            expect(!known, "operator_actions", &deed.id)?;
            self.deeds.push((deed.clone(), *at));
        }
        Ok(())
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let mut orders: Vec<Order> = self.orders.values().cloned().collect();
        let mut holds: Vec<Hold> = self.holds.values().cloned().collect();
        orders.sort_by_key(|order| order.id);
        holds.sort_by_key(|hold| (hold.created_at, hold.id));
        let held = |seat: &(SeatIndex, SeatState)| seat.1 != SeatState::Available;
        Snapshot {
            plan: None,
            epoch: self.epoch,
            sequence: self.sequence,
            decided_at: self.decided_at,
            amendment: self.amendment.clone(),
            seats: self.seats.iter().map(|(seat, state)| (*seat, *state)).filter(held).collect(),
            places: self.places.iter().map(|(section, places)| (*section, *places)).collect(),
            holds,
            orders,
            buyers: self.buyers.iter().map(|(buyer, seats)| (buyer.clone(), *seats)).collect(),
            receipts: self.receipts.clone(),
        }
    }
}

fn expect(holds: bool, table: &str, row: &impl std::fmt::Debug) -> Result<(), AppendError> {
    if holds {
        return Ok(());
    }
    Err(AppendError::Refused(format!("{table}: {row:?} is not what memory believed")))
}
