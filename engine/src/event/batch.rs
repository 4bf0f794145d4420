//! A batch: the net effect of gathered decisions, as one statement will write it.
//!
//! All parts of an SQL statement see one snapshot, and a second write to a row is dropped without a
//! word. So each row stands here once, with what it was before the batch and what it is after.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::fact::{Fact, Places, Receipt, Ticket};
use super::terms::Amendment;
use crate::buyer::BuyerId;
use crate::hold::{Claim, Hold, HoldStatus};
use crate::id::{
    AttemptId, Epoch, EventNumber, HoldId, OrderId, SeatIndex, SectionIndex, Sequence, TicketId,
};
use crate::moment::Moment;
use crate::operation::{Deed, Listing};
use crate::order::{Order, OrderStatus, Verdict};
use crate::plan::Plan;
use crate::refund::Refund;
use crate::section::SeatState;

/// A row's value before and after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<T> {
    /// What memory believes the row says.
    pub was: T,
    /// What the batch makes of it.
    pub becomes: T,
}

/// An older hold that has less at the end of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// How many seats and places its row says it has.
    pub was: u32,
    /// The hold at the end of the batch, with the status it has then.
    pub hold: Hold,
    /// When it ended, if the batch ends it, too.
    pub ended_at: Option<Moment>,
}

/// What one statement writes, all or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Whose rows.
    pub event: EventNumber,
    /// The owner that sends it; another epoch in the head refuses it.
    pub epoch: Epoch,
    /// The sequence that the head must have; a batch with rows raises it by one.
    pub sequence: Sequence,
    /// When it was sent: not before any decision in it.
    pub now: Moment,
    /// Seats, in index order.
    pub seats: BTreeMap<SeatIndex, Change<SeatState>>,
    /// General sections.
    pub places: BTreeMap<SectionIndex, Change<Places>>,
    /// Buyers' counts.
    pub buyers: BTreeMap<BuyerId, Change<u32>>,
    /// New holds, with the status they have at the end of the batch.
    pub holds_placed: BTreeMap<HoldId, Hold>,
    /// Older holds that were active and end here.
    pub holds_ended: BTreeMap<HoldId, (HoldStatus, Moment)>,
    /// Older holds that were active and give a part back here; some of them end as well.
    pub holds_reduced: BTreeMap<HoldId, Reduction>,
    /// Holds whose end is put off: new ones stand above with the end that they had first.
    pub holds_extended: BTreeMap<HoldId, Change<Moment>>,
    /// New orders, with the status they have at the end of the batch.
    pub orders_placed: BTreeMap<OrderId, Order>,
    /// Older orders that were open and end here.
    pub orders_ended: BTreeMap<OrderId, (OrderStatus, Moment)>,
    /// Authorised attempts that are decided here.
    pub attempts: BTreeMap<AttemptId, Verdict>,
    /// New tickets; some may be among those that the batch takes back.
    pub tickets: Vec<Ticket>,
    /// Tickets that come back, with what is owed for them.
    pub refunds: Vec<Refund>,
    /// New receipts.
    pub receipts: Vec<Receipt>,
    /// New capacities of general sections. A batch with new terms holds nothing else but the ends of
    /// overdue holds that made room for them, so no row's limit depends on what else is in it.
    pub capacities: BTreeMap<SectionIndex, Change<u32>>,
    /// New terms, and what the event's page says; in such a batch only.
    pub terms: Option<(Amendment, Listing)>,
    /// What operators did, with the time.
    pub deeds: Vec<(Deed, Moment)>,
    /// What happened, in order, for the outbox.
    pub history: Vec<Fact>,
}

impl Batch {
    /// A batch that writes nothing.
    #[must_use]
    pub fn new(event: EventNumber, epoch: Epoch, sequence: Sequence, now: Moment) -> Self {
        Self {
            event,
            epoch,
            sequence,
            now,
            seats: BTreeMap::new(),
            places: BTreeMap::new(),
            buyers: BTreeMap::new(),
            holds_placed: BTreeMap::new(),
            holds_ended: BTreeMap::new(),
            holds_reduced: BTreeMap::new(),
            holds_extended: BTreeMap::new(),
            orders_placed: BTreeMap::new(),
            orders_ended: BTreeMap::new(),
            attempts: BTreeMap::new(),
            tickets: Vec::new(),
            refunds: Vec::new(),
            receipts: Vec::new(),
            capacities: BTreeMap::new(),
            terms: None,
            deeds: Vec::new(),
            history: Vec::new(),
        }
    }

    /// Whether there is nothing to write. Answers still need the head's word that this owner is the
    /// owner: such a batch matches epoch and sequence and advances nothing. Decided things always
    /// leave history or a receipt, even where the net effect on rows is none.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.history.is_empty() && self.receipts.is_empty()
    }

    /// The head's sequence once the batch has committed.
    #[must_use]
    pub fn sequence_after(&self) -> Sequence {
        if self.is_check() { self.sequence } else { self.sequence.next() }
    }

    /// The sections whose stock it moves.
    #[must_use]
    pub fn sections(&self, plan: &Plan) -> BTreeSet<SectionIndex> {
        let seats = self.seats.keys().map(|seat| plan.seat(*seat).section);
        seats.chain(self.places.keys().copied()).collect()
    }

    /// Tickets that come back in this batch; those that it issues as well are void from the beginning.
    #[must_use]
    pub fn tickets_returned(&self) -> BTreeSet<TicketId> {
        self.refunds.iter().flat_map(|refund| refund.tickets.iter().copied()).collect()
    }

    /// Adds a fact to the net effect.
    ///
    /// # Panics
    /// If the fact does not follow from those before it: a bug of whoever decided.
    pub fn add(&mut self, fact: Fact) {
        match &fact {
            Fact::Seat { seat, was, becomes } => net(&mut self.seats, *seat, *was, *becomes),
            Fact::Places { section, was, becomes } => {
                net(&mut self.places, *section, *was, *becomes);
            }
            Fact::Buyer { buyer, was, becomes } => {
                net(&mut self.buyers, buyer.clone(), *was, *becomes);
            }
            Fact::HoldPlaced(hold) => {
                let before = self.holds_placed.insert(hold.id, hold.clone());
                assert!(before.is_none(), "{:?} is placed twice", hold.id);
            }
            Fact::HoldReduced { hold, part, .. } => self.reduce(hold, part),
            Fact::HoldEnded { hold, status, at } => self.end(*hold, *status, *at),
            Fact::HoldExtended { hold, was, expires_at, .. } => {
                let change = Change { was: *was, becomes: *expires_at };
                let before = self.holds_extended.insert(*hold, change);
                assert!(before.is_none(), "{hold:?} is extended twice");
            }
            Fact::OrderPlaced(order) => {
                let before = self.orders_placed.insert(order.id, order.clone());
                assert!(before.is_none(), "{:?} is placed twice", order.id);
            }
            Fact::OrderEnded { order, status, at } => match self.orders_placed.get_mut(order) {
                Some(placed) => placed.status = *status,
                None => {
                    let before = self.orders_ended.insert(*order, (*status, *at));
                    assert!(before.is_none(), "{order:?} ends twice");
                }
            },
            Fact::AttemptDecided { attempt, verdict, .. } => {
                let before = self.attempts.insert(*attempt, *verdict);
                assert!(before.is_none(), "{attempt:?} is decided twice");
            }
            Fact::TicketIssued(ticket) => self.tickets.push(ticket.clone()),
            Fact::TicketsReturned { refund, .. } => self.refunds.push(refund.clone()),
            Fact::Remembered(receipt) => self.receipts.push(receipt.clone()),
            Fact::CapacitySet { section, was, becomes, .. } => {
                net(&mut self.capacities, *section, *was, *becomes);
            }
            Fact::TermsAmended { amendment, listing, .. } => {
                let terms = ((**amendment).clone(), (**listing).clone());
                assert!(self.terms.replace(terms).is_none(), "terms have a batch of their own");
            }
            Fact::Operated { deed, at } => self.deeds.push((deed.clone(), *at)),
            // Their seats have facts of their own.
            Fact::SeatsBlocked { .. } | Fact::SeatsUnblocked { .. } => {}
        }
        if fact.is_history() {
            self.history.push(fact);
        }
    }
}

impl Batch {
    fn reduce(&mut self, hold: &Hold, part: &Claim) {
        if let Some(placed) = self.holds_placed.get_mut(&hold.id) {
            *placed = hold.clone();
        } else if let Some(reduced) = self.holds_reduced.get_mut(&hold.id) {
            reduced.hold = hold.clone();
        } else {
            let was = hold.claim.quantity() + part.quantity();
            let reduction = Reduction { was, hold: hold.clone(), ended_at: None };
            self.holds_reduced.insert(hold.id, reduction);
        }
    }

    fn end(&mut self, hold: HoldId, status: HoldStatus, at: Moment) {
        if let Some(placed) = self.holds_placed.get_mut(&hold) {
            placed.status = status;
        } else if let Some(reduced) = self.holds_reduced.get_mut(&hold) {
            reduced.hold.status = status;
            reduced.ended_at = Some(at);
        } else {
            let before = self.holds_ended.insert(hold, (status, at));
            assert!(before.is_none(), "{hold:?} ends twice");
        }
    }
}

/// Joins a change to what the batch already does to this row; a row that ends as it began is not
/// written.
fn net<K: Ord, T: Copy + PartialEq + std::fmt::Debug>(
    rows: &mut BTreeMap<K, Change<T>>,
    key: K,
    was: T,
    becomes: T,
) {
    match rows.entry(key) {
        Entry::Vacant(row) => {
            if was != becomes {
                row.insert(Change { was, becomes });
            }
        }
        Entry::Occupied(mut row) => {
            assert_eq!(row.get().becomes, was, "a change does not follow from the one before it");
            if row.get().was == becomes {
                row.remove();
            } else {
                row.get_mut().becomes = becomes;
            }
        }
    }
}
