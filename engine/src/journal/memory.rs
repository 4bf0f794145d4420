//! The reference journal: rows in memory, each compared with what the batch believed, as the database
//! compares them; the rules that the database states as constraints are not here. It lives as long as
//! its process, so it serves simulated time and tests.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::{AppendError, Journal, TakeFrom, TakeOverError};
use crate::buyer::BuyerId;
use crate::event::{Amendment, Batch, Fact, Places, Receipt, ReceiptResult, Snapshot, Ticket};
use crate::hold::{Hold, HoldStatus};
use crate::id::{
    AttemptId, Epoch, EventNumber, HoldId, OrderId, SeatIndex, SectionIndex, Sequence,
};
use crate::later::Later;
use crate::moment::Moment;
use crate::operation::Deed;
use crate::order::{Order, OrderStatus, Verdict};
use crate::section::SeatState;

/// How long a key has the one result.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Rows of one event.
#[derive(Clone, Debug)]
struct Rows {
    /// The process that claimed last.
    owner: u32,
    epoch: Epoch,
    sequence: Sequence,
    decided_at: Moment,
    amendment: Amendment,
    seats: HashMap<SeatIndex, SeatState>,
    places: HashMap<SectionIndex, Places>,
    buyers: HashMap<BuyerId, u32>,
    holds: HashMap<HoldId, Hold>,
    orders: HashMap<OrderId, Order>,
    verdicts: HashMap<AttemptId, Verdict>,
    tickets: Vec<Ticket>,
    receipts: Vec<Receipt>,
    deeds: Vec<(Deed, Moment)>,
    history: Vec<Fact>,
}

impl Rows {
    fn new() -> Self {
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
            receipts: Vec::new(),
            deeds: Vec::new(),
            history: Vec::new(),
        }
    }

    /// The rows after the batch; an error leaves `self` as it was.
    fn write(&mut self, batch: &Batch) -> Result<(), AppendError> {
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
        rows.tickets.extend(batch.tickets.iter().cloned());
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

    fn snapshot(&self) -> Snapshot {
        let mut orders: Vec<Order> = self.orders.values().cloned().collect();
        let mut holds: Vec<Hold> = self.holds.values().cloned().collect();
        orders.sort_by_key(|order| order.id);
        holds.sort_by_key(|hold| (hold.created_at, hold.id));
        let held = |seat: &(SeatIndex, SeatState)| seat.1 != SeatState::Available;
        Snapshot {
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

/// A journal for as long as the process lives. All its events exist.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    process: u32,
    events: Arc<Mutex<HashMap<EventNumber, Rows>>>,
}

impl MemoryJournal {
    /// The same rows as another process reaches them.
    #[must_use]
    pub fn of_another_process(&self) -> Self {
        Self { process: self.process + 1, events: Arc::clone(&self.events) }
    }

    /// Writes a batch now.
    ///
    /// # Errors
    /// As [`Journal::append`]; never `Unknown`.
    pub fn write(&self, batch: &Batch) -> Result<(), AppendError> {
        self.events.lock().entry(batch.event).or_insert_with(Rows::new).write(batch)
    }

    /// Raises the epoch and reads, now.
    ///
    /// # Errors
    /// [`TakeOverError::Overtaken`] if the event may only be taken from this process, and is another's.
    pub fn claim(&self, event: EventNumber, from: TakeFrom) -> Result<Snapshot, TakeOverError> {
        let mut events = self.events.lock();
        let rows = events.entry(event).or_insert_with(Rows::new);
        if from == TakeFrom::OnlySelf && rows.owner != self.process {
            return Err(TakeOverError::Overtaken);
        }
        rows.owner = self.process;
        rows.epoch.0 += 1;
        Ok(rows.snapshot())
    }

    /// The rows as they are, without a claim.
    #[must_use]
    pub fn peek(&self, event: EventNumber) -> Snapshot {
        self.events.lock().entry(event).or_insert_with(Rows::new).snapshot()
    }

    /// What operators did, in order.
    #[must_use]
    pub fn deeds(&self, event: EventNumber) -> Vec<(Deed, Moment)> {
        self.events.lock().get(&event).map(|rows| rows.deeds.clone()).unwrap_or_default()
    }

    /// The tickets issued so far.
    #[must_use]
    pub fn tickets(&self, event: EventNumber) -> Vec<Ticket> {
        self.events.lock().get(&event).map(|rows| rows.tickets.clone()).unwrap_or_default()
    }
}

impl Journal for MemoryJournal {
    fn append<'a>(&'a self, batch: &'a Batch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(async move { self.write(batch) })
    }

    fn take_over<'a>(
        &'a self,
        event: EventNumber,
        from: TakeFrom,
        keys_kept: Duration,
        also: &'a [HoldId],
    ) -> Later<'a, Result<Snapshot, TakeOverError>> {
        Box::pin(async move { Ok(remembered(self.claim(event, from)?, keys_kept, also)) })
    }
}

/// Of these rows, those that an owner reads. Their age is reckoned from the latest decision; of attempts
/// nothing is known here, so no order is kept for one.
fn remembered(mut snapshot: Snapshot, keys_kept: Duration, also: &[HoldId]) -> Snapshot {
    let since = snapshot.decided_at - keys_kept;
    snapshot.receipts.retain(|receipt| receipt.at > since);
    let receipts = snapshot.receipts.iter().filter_map(|receipt| match receipt.result {
        ReceiptResult::Order { order, .. } => Some(order),
        ReceiptResult::HoldNotActive(_) => None,
    });
    let told: HashSet<OrderId> = receipts.collect();
    snapshot.holds.retain(|hold| {
        let young = hold.status == HoldStatus::Active || hold.created_at > since;
        young || also.contains(&hold.id) || told.contains(&OrderId::of(hold.id))
    });
    let holds: HashSet<HoldId> = snapshot.holds.iter().map(|hold| hold.id).collect();
    snapshot.orders.retain(|order| holds.contains(&order.hold));
    snapshot
}
