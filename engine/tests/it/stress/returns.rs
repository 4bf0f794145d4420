//! Sold tickets that come back among everything else. A refund that somebody was told of is in the rows,
//! and what it gave back is nobody's any more.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::Command;
use taquilla_engine::event::Snapshot;
use taquilla_engine::hold::{Claim, Hold};
use taquilla_engine::id::{OrderId, RefundId, TicketId};
use taquilla_engine::order::{Order, OrderStatus};
use taquilla_engine::refund::{Cause, Refund, SoldOrder, TicketReturn};

use super::Sale;
use crate::desk::{EVENT, keyed};

impl Sale {
    /// Somebody asks for tickets of an order that he was told of, under one of few keys. Its rows are as
    /// old as they happen to be.
    pub(super) fn ask_back(&mut self) {
        let known: Vec<(OrderId, BuyerId)> = {
            let rows = self.journal.peek(EVENT);
            let sold = |order: &Order| order.status == OrderStatus::Confirmed;
            let any = self.dice.roll(4) == 0;
            let orders = rows.orders.into_iter().filter(|order| any || sold(order));
            orders.map(|order| (order.id, order.buyer)).collect()
        };
        if known.is_empty() {
            return;
        }
        let (order, buyer) = known[self.dice.roll(known.len() as u64) as usize].clone();
        let one = TicketId::of(order, self.dice.roll(2) as u32);
        let tickets = (self.dice.roll(3) > 0).then(|| vec![one]);
        let key = format!("{}", self.dice.roll(60));
        let rows = self.rows_of(order).map(Box::new);
        let fingerprint = keyed(&key, &format!("{order} {tickets:?}")).fingerprint;
        let (refund, cause) = (RefundId::derive(EVENT, "olga", &key), Cause::Refund);
        let (reason, who, deed) = ("".into(), "olga".into(), None);
        self.submit(Command::ReturnTickets(Box::new(TicketReturn {
            refund,
            fingerprint,
            order,
            buyer,
            tickets,
            cause,
            reason,
            who,
            deed,
            rows,
        })));
    }

    fn rows_of(&self, order: OrderId) -> Option<SoldOrder> {
        let rows = self.journal.peek(EVENT);
        let order = rows.orders.into_iter().find(|it| it.id == order)?;
        let hold = rows.holds.into_iter().find(|it| it.id == order.hold)?;
        Some(SoldOrder { hold, order })
    }

    pub(super) fn told_refund(&mut self, refund: Refund) {
        let before = self.refunds.insert(refund.id, refund.clone());
        assert!(before.is_none_or(|before| before == refund), "{refund:?} changed");
    }

    /// All that was told stands in the rows, and no ticket came back twice.
    pub(super) fn audit_refunds(&self, rows: &Snapshot) {
        let all: Vec<&Refund> = rows.orders.iter().flat_map(|order| &order.refunds).collect();
        for told in self.refunds.values() {
            assert!(all.contains(&told), "{told:?} is lost");
        }
        let mut tickets: Vec<TicketId> = all.iter().flat_map(|it| it.tickets.clone()).collect();
        tickets.sort_unstable();
        let back = tickets.len();
        tickets.dedup();
        assert_eq!(tickets.len(), back, "a ticket came back twice");
        assert_eq!(self.journal.void_tickets(EVENT).len(), back);
        for order in &rows.orders {
            let owed: i64 = order.refunds.iter().map(|refund| refund.amount).sum();
            assert!(owed <= order.total, "{order:?}");
        }
    }
}

/// What is still the hold's of what it took.
pub(super) fn left(rows: &Snapshot, hold: &Hold) -> Claim {
    let order = rows.orders.iter().find(|order| order.hold == hold.id);
    let back = |place: usize| {
        let is_void = |it: OrderId| TicketId::of(it, place as u32);
        order.is_some_and(|order| order.is_void(is_void(order.id)))
    };
    let mut left = Claim::default();
    let seats = hold.claim.seats.iter().enumerate();
    left.seats.extend(seats.filter(|(place, _)| !back(*place)).map(|(_, seat)| *seat));
    let mut place = hold.claim.seats.len();
    for (section, quantity) in &hold.claim.places {
        let of_section = place..place + *quantity as usize;
        place = of_section.end;
        let kept = of_section.filter(|place| !back(*place)).count();
        left.places.push((*section, kept as u32));
    }
    left
}
