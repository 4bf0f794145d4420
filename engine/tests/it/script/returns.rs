//! Sold tickets that come back, in a script:
//!
//! ```text
//! olga return h1 A1 F           -> returned A1 F 1 of h1, 2050 owed
//! olga return h1                (all that is left)
//! bank return h1 for chargeback
//! ```
//! Seats are named by their label; each word that is a general section's name is one more of the places
//! there, from the first on that has not come back. `nothing` is a ticket that no order has. The order comes with the command as
//! its rows have it, as the edge sends it.

use taquilla_engine::command::Command;
use taquilla_engine::hold::Hold;
use taquilla_engine::id::{HoldId, OrderId, RefundId, TicketId};
use taquilla_engine::operation::Deed;
use taquilla_engine::order::Order;
use taquilla_engine::refund::{Cause, Refund, SoldOrder, TicketReturn};
use uuid::Uuid;

use super::Stage;
use crate::desk::{EVENT, buyer, keyed};

impl Stage {
    pub(super) fn ticket_return(
        &self,
        who: &str,
        hold: &str,
        words: &[&str],
        key: &str,
    ) -> Command {
        let cause_at = words.iter().position(|word| *word == "for");
        let cause = cause_at.map_or(Cause::Refund, |at| Cause::parse(words[at + 1]).unwrap());
        let named = &words[..cause_at.unwrap_or(words.len())];
        let unknown = HoldId::derive(EVENT, &buyer("nobody"), "no such key");
        let hold = self.holds.get(hold).copied().unwrap_or(unknown);
        let order = OrderId::of(hold);
        let rows = self.sold(order);
        let owner = rows.as_ref().map_or(buyer("nobody"), |rows| rows.hold.buyer.clone());
        let tickets = (!named.is_empty()).then(|| {
            let hold = &rows.as_ref().unwrap().hold;
            self.tickets(&rows.as_ref().unwrap().order, hold, named)
        });
        let id = Uuid::from_u128(u128::try_from(self.lines).unwrap());
        let deed =
            Deed { id, who: who.into(), what: "refund", why: "".into(), detail: "{}".into() };
        Command::ReturnTickets(Box::new(TicketReturn {
            refund: RefundId::derive(EVENT, who, key),
            fingerprint: keyed(key, &format!("{hold} {words:?}")).fingerprint,
            order,
            buyer: owner,
            tickets,
            cause,
            reason: "rain".into(),
            who: who.into(),
            deed: (cause == Cause::Refund).then_some(deed),
            rows: rows.map(Box::new),
        }))
    }

    /// The order as its rows have it, sold or not.
    fn sold(&self, order: OrderId) -> Option<SoldOrder> {
        let rows = self.desk.journal.peek(EVENT);
        let order = rows.orders.into_iter().find(|it| it.id == order)?;
        let hold = rows.holds.into_iter().find(|it| it.id == order.hold)?;
        Some(SoldOrder { hold, order })
    }

    fn tickets(&self, order: &Order, hold: &Hold, words: &[&str]) -> Vec<TicketId> {
        let plan = &self.terms.plan;
        let seats = hold.claim.seats.iter().map(|seat| plan.seat(*seat).label().to_string());
        let places = hold.claim.places.iter().flat_map(|(section, n)| {
            std::iter::repeat_n(plan.section(*section).name.clone(), *n as usize)
        });
        let mut left: Vec<(String, u32)> = seats.chain(places).zip(0..).collect();
        left.sort_by_key(|(_, place)| order.is_void(TicketId::of(order.id, *place)));
        let ticket = |word: &&str| {
            let place = left.iter().position(|(name, _)| name == word);
            TicketId::of(order.id, place.map_or(u32::MAX, |place| left.remove(place).1))
        };
        words.iter().map(ticket).collect()
    }

    pub(super) fn render_refund(&mut self, refund: &Refund) -> String {
        let SoldOrder { hold, .. } = self.sold(refund.order).unwrap();
        let plan = &self.terms.plan;
        let mut words: Vec<String> = Vec::new();
        let places = hold.claim.places.iter().flat_map(|(section, n)| {
            std::iter::repeat_n(plan.section(*section).name.clone(), *n as usize)
        });
        let seats = hold.claim.seats.iter().map(|seat| plan.seat(*seat).label().to_string());
        for (name, place) in seats.chain(places).zip(0..) {
            if refund.tickets.contains(&TicketId::of(refund.order, place)) {
                words.push(name);
            }
        }
        let (words, name) = (words.join(" "), self.name(hold.id));
        format!("returned {words} of {name}, {} owed", refund.amount)
    }
}
