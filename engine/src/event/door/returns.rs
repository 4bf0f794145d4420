//! Sold tickets that come back: what is refused at the door, and what becomes of the sections' word.
//!
//! It stands in the line of the buyer whose tickets they are, so no two returns of an order are decided
//! at once, and none beside his own commands. An order that is older than the door's memory comes with
//! the command, as its rows have it; from then on it is remembered, so rows are never older than memory.

use super::Door;
use super::errands::Errand;
use crate::answer::Outcome;
use crate::event::fact::Fact;
use crate::hold::{Claim, Hold, HoldStatus};
use crate::id::TicketId;
use crate::moment::Moment;
use crate::order::{Order, OrderStatus};
use crate::pricing::shares;
use crate::refund::{Refund, SoldOrder, TicketReturn, part_of, tickets_of};
use crate::refusal::Refusal;
use crate::section::{SeatState, SectionAction};

/// What comes back, in the order of the hold's seats and places.
#[derive(Debug)]
pub(super) struct Returning {
    tickets: Vec<TicketId>,
    part: Claim,
    /// Whether nobody is to have the seats again.
    off_sale: bool,
    /// Their share of the order's total.
    share: i64,
}

impl<R> Door<R> {
    /// Remembers the order of the command, if the door has forgotten it.
    pub(super) fn recall(&mut self, asked: &TicketReturn) {
        if self.book.order(asked.order).is_some() {
            return;
        }
        if let Some(rows) = asked.rows.as_deref().filter(|rows| self.is_sold(asked, rows)) {
            self.book.recall(rows.clone());
        }
    }

    fn is_sold(&self, asked: &TicketReturn, SoldOrder { hold, order }: &SoldOrder) -> bool {
        order.id == asked.order
            && order.hold == hold.id
            && order.status == OrderStatus::Confirmed
            && hold.status == HoldStatus::Converted
            && hold.claim.fits(&self.terms.plan)
    }

    pub(super) fn replay_return(&self, asked: &TicketReturn) -> Option<Outcome> {
        let refund = self.book.refund(asked.refund)?;
        if refund.fingerprint == asked.fingerprint {
            return Some(Outcome::Refunded(Box::new(refund.clone())));
        }
        Some(Outcome::Refused(Refusal::KeyReused))
    }

    /// The refusals that need no section, in order of precedence.
    pub(super) fn check_return(&self, asked: &TicketReturn) -> Result<Returning, Refusal> {
        let order = self.book.order(asked.order).filter(|order| order.buyer == asked.buyer);
        let Some(order) = order else {
            // One that is not sold is not recalled.
            let known = asked.rows.as_ref().is_some_and(|rows| rows.order.id == asked.order);
            return Err(if known { Refusal::RefundNotPossible } else { Refusal::NotFound });
        };
        let hold = self.book.hold(order.hold).expect("an order's hold is in the book");
        let all = tickets_of(order.id, hold);
        let asked_for = asked.tickets.as_deref().unwrap_or(&all);
        let unknown = asked_for.iter().filter(|ticket| !all.contains(ticket));
        let unknown: Vec<TicketId> = unknown.copied().collect();
        if !unknown.is_empty() {
            return Err(Refusal::UnknownTickets(unknown));
        }
        match order.status {
            OrderStatus::Confirmed => {}
            OrderStatus::Open | OrderStatus::Cancelled | OrderStatus::Expired => {
                return Err(Refusal::RefundNotPossible);
            }
        }
        self.returning(asked, order, hold, &all)
    }

    /// All of those asked for, or none if one of them has come back already.
    fn returning(
        &self,
        asked: &TicketReturn,
        order: &Order,
        hold: &Hold,
        all: &[TicketId],
    ) -> Result<Returning, Refusal> {
        let comes = |ticket: &TicketId| match &asked.tickets {
            Some(named) => named.contains(ticket),
            None => !order.is_void(*ticket),
        };
        let places: Vec<usize> = (0..all.len()).filter(|place| comes(&all[*place])).collect();
        let tickets: Vec<TicketId> = places.iter().map(|place| all[*place]).collect();
        if tickets.is_empty() || tickets.iter().any(|ticket| order.is_void(*ticket)) {
            return Err(Refusal::RefundNotPossible);
        }
        let off_sale = self.terms.sale.cancelled;
        let shares = shares(&hold.unit_prices, &hold.quote.fees);
        let share = places.iter().map(|place| shares[*place]).sum();
        Ok(Returning { tickets, part: part_of(&hold.claim, &places), off_sale, share })
    }

    pub(super) fn return_tickets(
        &mut self,
        asked: TicketReturn,
        returning: Returning,
        by: Moment,
        reply: R,
    ) {
        let order = self.book.order(asked.order).expect("the return was checked against it");
        let (hold, off_sale) = (order.hold, returning.off_sale);
        let portions = returning.part.portions(&self.terms.plan).into_iter();
        let actions = portions
            .map(|(section, portion)| (section, SectionAction::Return { hold, portion, off_sale }));
        let errand = Errand::Return { asked: Box::new(asked), returning, reply };
        self.ask(actions, Some(by), errand);
    }

    /// Sections have said whether it is all sold, and at which instant it came back.
    pub(super) fn tickets_returned(
        &mut self,
        asked: TicketReturn,
        returning: Returning,
        returned_at: Option<Moment>,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        let (buyer, key) = (asked.buyer.clone(), asked.refund.uuid());
        let outcome = match returned_at {
            Some(at) => {
                let Returning { tickets, part, off_sale, share } = returning;
                let TicketReturn {
                    refund: id, fingerprint, order, cause, reason, who, deed, ..
                } = asked;
                let amount = if cause.owes_money() { share } else { 0 };
                let refund =
                    Refund { id, fingerprint, order, cause, reason, who, amount, tickets, at };
                let becomes = if off_sale { SeatState::Blocked } else { SeatState::Available };
                self.book.take_back(refund.clone(), part, becomes, &mut facts);
                facts.extend(deed.map(|deed| Fact::Operated { deed, at }));
                Outcome::Refunded(Box::new(refund))
            }
            None => Outcome::Refused(Refusal::RefundNotPossible),
        };
        self.answer_with(facts, reply, outcome);
        self.finish(&buyer, Some(key));
    }
}
