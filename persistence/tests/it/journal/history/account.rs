//! What the batches said, added up.

use std::collections::BTreeMap;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::event::{Batch, Fact, Places, Receipt, Snapshot};
use taquilla_engine::hold::{Hold, HoldStatus};
use taquilla_engine::id::{HoldId, OrderId, SeatIndex, SectionIndex};
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::section::SeatState;

#[derive(Debug, Default)]
pub(crate) struct Account {
    seats: BTreeMap<SeatIndex, SeatState>,
    places: BTreeMap<SectionIndex, Places>,
    buyers: BTreeMap<BuyerId, u32>,
    holds: BTreeMap<HoldId, Hold>,
    orders: BTreeMap<OrderId, Order>,
    receipts: Vec<Receipt>,
    /// How often a part of a hold was given back.
    reduced: u32,
    /// How often a part of what was sold came back.
    partly: u32,
}

impl Account {
    /// Rows by their net effect, holds and orders by their history.
    pub(crate) fn add(&mut self, batch: &Batch) {
        self.seats.extend(batch.seats.iter().map(|(seat, it)| (*seat, it.becomes)));
        self.places.extend(batch.places.iter().map(|(section, it)| (*section, it.becomes)));
        self.buyers.extend(batch.buyers.iter().map(|(buyer, it)| (buyer.clone(), it.becomes)));
        self.receipts.extend(batch.receipts.iter().cloned());
        for fact in &batch.history {
            self.happened(fact);
        }
    }

    fn happened(&mut self, fact: &Fact) {
        match fact {
            Fact::HoldPlaced(hold) => drop(self.holds.insert(hold.id, hold.clone())),
            Fact::HoldReduced { hold, .. } => {
                self.reduced += 1;
                drop(self.holds.insert(hold.id, hold.clone()));
            }
            Fact::HoldEnded { hold, status, .. } => {
                self.holds.get_mut(hold).expect("a hold begins first").status = *status;
            }
            Fact::OrderPlaced(order) => {
                self.holds.get_mut(&order.hold).expect("a hold comes first").order = Some(order.id);
                self.orders.insert(order.id, order.clone());
            }
            Fact::OrderEnded { order, status, .. } => {
                self.orders.get_mut(order).expect("an order begins first").status = *status;
            }
            Fact::AttemptDecided { attempt, order, verdict } => {
                let order = self.orders.get_mut(order).expect("an order comes first");
                order.verdicts.push((*attempt, *verdict));
            }
            Fact::HoldExtended { hold, expires_at, .. } => {
                let hold = self.holds.get_mut(hold).expect("a hold begins first");
                (hold.expires_at, hold.extended) = (*expires_at, true);
            }
            Fact::TicketsReturned { refund, .. } => {
                let order = self.orders.get_mut(&refund.order).expect("an order comes first");
                let all = self.holds[&order.hold].claim.quantity() as usize;
                self.partly += u32::from(refund.tickets.len() < all);
                order.refunds.push(refund.clone());
            }
            Fact::TicketIssued(_)
            | Fact::Seat { .. }
            | Fact::Places { .. }
            | Fact::Buyer { .. }
            | Fact::Remembered(_)
            | Fact::SeatsBlocked { .. }
            | Fact::SeatsUnblocked { .. }
            | Fact::CapacitySet { .. }
            | Fact::TermsAmended { .. }
            | Fact::Operated { .. } => {}
        }
    }

    pub(crate) fn agrees_with(&self, snapshot: &Snapshot) {
        let seats = snapshot.seats.iter().copied().collect::<BTreeMap<_, _>>();
        let taken = self.seats.iter().filter(|(_, state)| **state != SeatState::Available);
        assert_eq!(seats, taken.map(|(seat, state)| (*seat, *state)).collect());
        assert_eq!(snapshot.places.iter().copied().collect::<BTreeMap<_, _>>(), self.places);

        let buyers = snapshot.buyers.iter().cloned().collect::<BTreeMap<_, _>>();
        let counted = self.buyers.iter().filter(|(_, seats)| **seats > 0);
        assert_eq!(buyers, counted.map(|(buyer, seats)| (buyer.clone(), *seats)).collect());

        let holds = snapshot.holds.iter().map(|hold| (hold.id, hold.clone()));
        assert_eq!(holds.collect::<BTreeMap<_, _>>(), self.holds);
        let orders = snapshot.orders.iter().map(|order| (order.id, order.clone()));
        assert_eq!(orders.collect::<BTreeMap<_, _>>(), self.orders);
        let by_id = |receipts: &[Receipt]| {
            receipts.iter().map(|it| (it.id, it.clone())).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(by_id(&snapshot.receipts), by_id(&self.receipts));
    }

    /// A sequence without some end of holds and orders, or some verdict, shows too little.
    pub(crate) fn saw_everything(&self) {
        for status in [HoldStatus::Released, HoldStatus::Expired, HoldStatus::Converted] {
            assert!(self.holds.values().any(|hold| hold.status == status), "no hold {status:?}");
        }
        for status in [OrderStatus::Confirmed, OrderStatus::Cancelled, OrderStatus::Expired] {
            assert!(
                self.orders.values().any(|order| order.status == status),
                "no order {status:?}"
            );
        }
        let sections = |hold: &Hold| hold.claim.sections(&super::super::box_office::terms().plan);
        assert!(self.holds.values().any(|hold| sections(hold).len() > 1), "no hold of two");
        assert!(self.holds.values().any(|hold| hold.remarks.is_some()), "nobody took fewer");
        assert!(self.reduced > 0, "nobody gave a part back");
        let returned = self.orders.values().flat_map(|order| &order.refunds).count();
        assert!(
            returned > 0 && self.partly > 0,
            "{} of {returned} returns were in part",
            self.partly
        );
        let verdicts: Vec<_> = self.orders.values().flat_map(|order| &order.verdicts).collect();
        for verdict in [Verdict::Confirmed, Verdict::VoidDue] {
            assert!(verdicts.iter().any(|(_, it)| *it == verdict), "no verdict {verdict:?}");
        }
    }
}
