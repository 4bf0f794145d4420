//! Holds at the door: what is refused here, and what is sent on to a section.

use super::{Door, Errand, RoomWanted};
use crate::answer::Outcome;
use crate::buyer::BuyerId;
use crate::command::{Keyed, Request, Wish};
use crate::hold::{Claim, Hold, HoldStatus};
use crate::id::{HoldId, SectionIndex};
use crate::pricing::quote;
use crate::refusal::Refusal;
use crate::sale::SaleStatus;
use crate::section::SectionAction;

impl<R> Door<R> {
    /// The refusals of a hold that need no section, in order of precedence.
    pub(super) fn check_hold(
        &self,
        buyer: &BuyerId,
        wish: &Wish,
        admitted: bool,
    ) -> Result<(SectionIndex, Claim), Refusal> {
        let (section, claim) = match wish {
            Wish::Unknown(names) => return Err(Refusal::UnknownSeats(names.clone())),
            Wish::Claim(section, claim) => (*section, claim),
        };
        let sale = &self.terms.sale;
        match sale.status(self.now) {
            SaleStatus::Open => {}
            status @ (SaleStatus::Scheduled | SaleStatus::Closed) => {
                return Err(Refusal::SaleNotOpen { opens_at: sale.opens_at, status });
            }
        }
        if sale.waiting_room && !admitted {
            return Err(Refusal::AdmissionRequired);
        }
        // What the buyer's overdue holds count for is not known to be free until they have ended;
        // a wish that is too large even so need not wait for that.
        let held = self.living_seats(buyer);
        if held.saturating_add(claim.quantity()) > sale.buyer_seats_max {
            return Err(Refusal::BuyerLimitExceeded { limit: sale.buyer_seats_max, held });
        }
        Ok((section, claim.clone()))
    }

    /// Seats that the buyer owns, or holds in holds that are not over.
    fn living_seats(&self, buyer: &BuyerId) -> u32 {
        let over = |hold: &&Hold| hold.status_at(self.now) == HoldStatus::Expired;
        let overdue: u32 = self.book.live(buyer).filter(over).map(|h| h.claim.quantity()).sum();
        self.book.seats(buyer) - overdue
    }

    pub(super) fn new_hold(
        &self,
        buyer: &BuyerId,
        keyed: &Keyed,
        section: SectionIndex,
        claim: Claim,
    ) -> Hold {
        let plan = &self.terms.plan;
        let unit_prices: Vec<i64> = match &claim {
            Claim::Seats(seats) => seats.iter().map(|seat| plan.seat_tier(*seat).price).collect(),
            Claim::Places(n) => vec![plan.section_tier(section).price; *n as usize],
        };
        let tickets = unit_prices.iter().map(|price| (*price, 1));
        let quote =
            quote(&self.terms.fees, tickets).expect("terms keep every hold under the bound");
        Hold {
            id: HoldId::derive(self.terms.event, buyer, &keyed.key),
            buyer: buyer.clone(),
            fingerprint: keyed.fingerprint,
            section,
            claim,
            unit_prices,
            quote,
            status: HoldStatus::Active,
            created_at: self.now,
            expires_at: self.now + self.terms.sale.hold_ttl,
            order: None,
        }
    }

    /// Sends a new hold to its section; the buyer's overdue holds end first, wherever they lie, so
    /// that his count in the database never lags behind what was decided on.
    pub(super) fn place(&mut self, hold: Hold, request: Request, reply: R) {
        let buyer = hold.buyer.clone();
        let over = |live: &&Hold| live.status_at(self.now) == HoldStatus::Expired;
        let overdue: Vec<HoldId> = self.book.live(&buyer).filter(over).map(|h| h.id).collect();
        if overdue.is_empty() {
            let action = SectionAction::Place {
                hold: hold.id,
                buyer,
                claim: hold.claim.clone(),
                expires_at: hold.expires_at,
            };
            let section = hold.section;
            return self.ask(section, action, Errand::Place { hold: Box::new(hold), reply });
        }
        let wanted = RoomWanted { left: overdue.len(), request, reply };
        self.room_wanted.insert(buyer.clone(), wanted);
        for hold in overdue {
            let buyer = buyer.clone();
            self.send(hold, SectionAction::Expire(hold), Errand::MakeRoom { buyer });
        }
    }

    pub(super) fn release(&mut self, buyer: BuyerId, id: HoldId, sold: Refusal, reply: R) {
        let Some(hold) = self.book.hold_of(&buyer, id) else {
            self.answer(reply, Outcome::Refused(Refusal::NotFound));
            return self.finish(&buyer, None);
        };
        let outcome = match hold.status {
            HoldStatus::Active => {
                let errand = Errand::Release { buyer, hold: id, sold, reply };
                return self.send(id, SectionAction::Release(id), errand);
            }
            HoldStatus::Released | HoldStatus::Expired => Outcome::Released,
            HoldStatus::Converted => Outcome::Refused(sold),
        };
        self.answer(reply, outcome);
        self.finish(&buyer, None);
    }
}
