//! New holds at the door: what is refused here, what is sent on to sections, and what becomes of their
//! word.

use super::Door;
use super::errands::{Errand, Heard};
use crate::answer::Outcome;
use crate::buyer::BuyerId;
use crate::command::{Command, Keyed, Request, Wish};
use crate::event::book::Bill;
use crate::event::fact::Fact;
use crate::hold::{Claim, Hold, HoldStatus, Portion, Remarks};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;
use crate::pricing::quote;
use crate::refusal::Refusal;
use crate::sale::SaleStatus;
use crate::section::{SectionAction, SectionEvent};
use crate::waiting_room::admission::Admission;

/// A buyer's command that waits until his overdue holds have ended.
#[derive(Debug)]
pub(super) struct RoomWanted<R> {
    left: usize,
    request: Request,
    reply: R,
}

impl<R> Door<R> {
    /// The refusals of a hold that need no section, in order of precedence.
    pub(super) fn check_hold(
        &self,
        buyer: &BuyerId,
        wish: &Wish,
        admission: Option<Admission>,
    ) -> Result<(), Refusal> {
        let quantity = match wish {
            Wish::Unknown(names) => return Err(Refusal::UnknownSeats(names.clone())),
            Wish::Claim { claim, .. } => claim.quantity(),
            Wish::Best { wish, .. } => wish.quantity,
        };
        self.check_site()?;
        let sale = &self.terms.sale;
        match sale.status(self.now) {
            SaleStatus::Open => {}
            status @ (SaleStatus::Scheduled
            | SaleStatus::Paused
            | SaleStatus::Closed
            | SaleStatus::Cancelled) => {
                return Err(Refusal::SaleNotOpen { opens_at: sale.opens_at, status });
            }
        }
        if sale.waiting_room && !admission.is_some_and(|it| it.covers(self.now)) {
            return Err(Refusal::AdmissionRequired);
        }
        self.churn.check(self.now, buyer)?;
        // What the buyer's overdue holds count for is not known to be free until they have ended;
        // a wish that is too large even so need not wait for that.
        let held = self.living_seats(buyer);
        if held.saturating_add(quantity) > sale.buyer_seats_max {
            return Err(Refusal::BuyerLimitExceeded { limit: sale.buyer_seats_max, held });
        }
        Ok(())
    }

    /// Seats that the buyer owns, or holds in holds that are not over.
    fn living_seats(&self, buyer: &BuyerId) -> u32 {
        let overdue: u32 = self.overdue_of(buyer).map(|hold| hold.claim.quantity()).sum();
        self.book.seats(buyer) - overdue
    }

    fn overdue_of(&self, buyer: &BuyerId) -> impl Iterator<Item = &Hold> {
        let over = |hold: &&Hold| {
            hold.status_at(self.now) == HoldStatus::Expired && !self.is_frozen(&hold.claim)
        };
        self.book.live(buyer).filter(over)
    }

    fn new_hold(&self, buyer: &BuyerId, keyed: &Keyed, claim: Claim) -> Hold {
        let Bill { unit_prices, quote } = self.bill(&claim);
        let life = self.churn.life(self.now, buyer, self.terms.sale.hold_ttl);
        Hold {
            id: HoldId::derive(self.terms.event, buyer, &keyed.key),
            buyer: buyer.clone(),
            fingerprint: keyed.fingerprint,
            claim,
            unit_prices,
            quote,
            status: HoldStatus::Active,
            created_at: self.now,
            expires_at: self.now + life,
            extended: false,
            order: None,
            remarks: None,
        }
    }

    fn bill(&self, claim: &Claim) -> Bill {
        let plan = &self.terms.plan;
        let seats = claim.seats.iter().map(|seat| plan.seat_tier(*seat).price);
        let places = claim.places.iter().flat_map(|(section, quantity)| {
            std::iter::repeat_n(plan.section_tier(*section).price, *quantity as usize)
        });
        self.bill_at(seats.chain(places).collect())
    }

    /// What is left of a hold costs what it did when the hold was made.
    pub(super) fn bill_at_prices_of(&self, hold: &Hold, left: &Claim) -> Bill {
        let (seats, mut places) = hold.unit_prices.split_at(hold.claim.seats.len());
        let mut prices: Vec<i64> = Vec::with_capacity(hold.unit_prices.len());
        for (seat, price) in hold.claim.seats.iter().zip(seats) {
            prices.extend(left.seats.contains(seat).then_some(*price));
        }
        for (section, had) in &hold.claim.places {
            let of_section;
            (of_section, places) = places.split_at(*had as usize);
            let kept = left.places.iter().find(|(index, _)| index == section);
            prices.extend(&of_section[..kept.map_or(0, |(_, kept)| *kept as usize)]);
        }
        self.bill_at(prices)
    }

    fn bill_at(&self, unit_prices: Vec<i64>) -> Bill {
        let tickets = unit_prices.iter().map(|price| (*price, 1));
        let quote =
            quote(&self.terms.fees, tickets).expect("terms keep every hold under the bound");
        Bill { unit_prices, quote }
    }

    /// Sends a new hold to its sections; the buyer's overdue holds end first, wherever they lie, so
    /// that his count in the database never lags behind what was decided on.
    pub(super) fn place(&mut self, request: Request, reply: R) {
        let Command::PlaceHold { buyer, keyed, wish, .. } = &request.command else {
            unreachable!("only a hold is placed")
        };
        let overdue: Vec<HoldId> = self.overdue_of(buyer).map(|hold| hold.id).collect();
        if overdue.is_empty() {
            return match wish {
                Wish::Claim { claim, accept_fewer } => {
                    let hold = self.new_hold(buyer, keyed, claim.clone());
                    self.place_claim(hold, *accept_fewer, request.deadline, reply);
                }
                Wish::Best { wish, accept_fewer } => {
                    let hold = self.new_hold(buyer, keyed, Claim::default());
                    self.search(hold, wish.clone(), *accept_fewer, request.deadline, reply);
                }
                Wish::Unknown(_) => unreachable!("what the event lacks is refused before"),
            };
        }
        let buyer = buyer.clone();
        let wanted = RoomWanted { left: overdue.len(), request, reply };
        self.room_wanted.insert(buyer.clone(), wanted);
        for hold in overdue {
            let buyer = buyer.clone();
            self.expire(hold, Errand::MakeRoom { buyer });
        }
    }

    /// All of the buyer's overdue holds have to end before his next hold is decided.
    pub(super) fn room_made(&mut self, buyer: &BuyerId) {
        let wanted = self.room_wanted.get_mut(buyer).expect("somebody wants the room");
        wanted.left -= 1;
        if wanted.left == 0
            && let Some(RoomWanted { request, reply, .. }) = self.room_wanted.remove(buyer)
        {
            self.begin(buyer, request, reply);
        }
    }

    fn place_claim(&mut self, hold: Hold, accept_fewer: bool, by: Moment, reply: R) {
        let (id, expires_at) = (hold.id, hold.expires_at);
        let portions = hold.claim.portions(&self.terms.plan).into_iter();
        let actions = portions.map(|(section, portion)| {
            (section, SectionAction::Place { hold: id, portion, accept_fewer, expires_at })
        });
        let errand = Errand::Place { hold: Box::new(hold), accept_fewer, reply };
        self.ask(actions, Some(by), errand);
    }

    /// All sections have answered a new hold.
    pub(super) fn placed(
        &mut self,
        mut hold: Hold,
        reply: R,
        heard: &Heard,
        granted: bool,
        facts: Vec<Fact>,
    ) {
        if granted {
            self.take_what_there_was(&mut hold, heard);
            self.grant(hold, reply, facts);
        } else {
            let refusal = unavailable(&hold.claim, heard);
            self.refuse(&hold, refusal, reply, facts);
        }
    }

    /// The hold is its buyer's.
    pub(super) fn grant(&mut self, hold: Hold, reply: R, mut facts: Vec<Fact>) {
        let (buyer, id) = (hold.buyer.clone(), hold.id);
        self.book.place(hold, &mut facts);
        self.answer_with(facts, reply, self.hold_outcome(id));
        self.finish(&buyer, Some(id.uuid()));
    }

    /// There is no such hold; its key stands for that for a while.
    pub(super) fn refuse(&mut self, hold: &Hold, refusal: Refusal, reply: R, facts: Vec<Fact>) {
        let kept = refusal.clone();
        self.receipts.remember_refused(self.now, hold.id, hold.fingerprint, kept);
        self.answer_with(facts, reply, Outcome::Refused(refusal));
        self.finish(&hold.buyer, Some(hold.id.uuid()));
    }

    /// A hold whose buyer takes fewer has what its sections had.
    fn take_what_there_was(&self, hold: &mut Hold, heard: &Heard) {
        let taken = taken(&hold.claim, heard);
        if taken == hold.claim {
            return;
        }
        let declined = hold.claim.without(&taken);
        *hold = self.priced(hold.clone(), taken);
        hold.remarks = Some(Box::new(Remarks { declined, choice: None }));
    }

    /// The hold with this claim, at today's prices.
    pub(super) fn priced(&self, hold: Hold, claim: Claim) -> Hold {
        let Bill { unit_prices, quote } = self.bill(&claim);
        Hold { claim, unit_prices, quote, ..hold }
    }

    pub(super) fn hold_outcome(&self, id: HoldId) -> Outcome {
        let hold = self.book.hold(id).expect("a granted hold is in the book");
        Outcome::Hold(Box::new(self.seen(hold)))
    }
}

/// What sections granted of this claim, in the claim's order.
pub(super) fn taken(claim: &Claim, heard: &Heard) -> Claim {
    let mut taken = Claim::default();
    for (section, decision) in heard {
        for event in &decision.events {
            if let SectionEvent::HoldPlaced { portion, .. } = event {
                match portion {
                    Portion::Seats(seats) => taken.seats.extend(seats),
                    Portion::Places(quantity) => taken.places.push((*section, *quantity)),
                }
            }
        }
    }
    let seat_place = |seat: &SeatIndex| claim.seats.iter().position(|asked| asked == seat);
    taken.seats.sort_by_cached_key(seat_place);
    let place = |section| claim.places.iter().position(|(asked, _)| *asked == section);
    taken.places.sort_by_cached_key(|(section, _)| place(*section));
    taken
}

/// Everything of this claim that sections did not have, in the claim's order.
fn unavailable(claim: &Claim, heard: &Heard) -> Refusal {
    let (mut no_seats, mut no_sections) = (Vec::new(), Vec::new());
    for (_, decision) in heard {
        if let Some(Refusal::SeatsUnavailable { seats, sections }) = decision.refusal() {
            no_seats.extend(seats);
            no_sections.extend(sections);
        }
    }
    let asked = claim.seats.iter().filter(|seat| no_seats.contains(seat));
    let sections = claim.places.iter().map(|(section, _)| section);
    Refusal::SeatsUnavailable {
        seats: asked.copied().collect(),
        sections: sections.filter(|section| no_sections.contains(section)).copied().collect(),
    }
}
