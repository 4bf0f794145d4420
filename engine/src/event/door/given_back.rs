//! Holds given back at the door, whole or in part.

use super::Door;
use super::errands::Errand;
use crate::answer::Outcome;
use crate::buyer::BuyerId;
use crate::event::fact::Fact;
use crate::hold::{Claim, HoldStatus};
use crate::id::{HoldId, SeatIndex};
use crate::moment::Moment;
use crate::refusal::Refusal;
use crate::section::SectionAction;

impl<R> Door<R> {
    pub(super) fn release(&mut self, buyer: BuyerId, id: HoldId, sold: Refusal, reply: R) {
        let Some(hold) = self.book.hold_of(&buyer, id) else {
            self.answer(reply, Outcome::Refused(Refusal::NotFound));
            return self.finish(&buyer, None);
        };
        let outcome = match hold.status {
            HoldStatus::Active => {
                let errand = Errand::Release { buyer, hold: id, sold, reply };
                return self.send(id, SectionAction::Release, errand);
            }
            HoldStatus::Released | HoldStatus::Expired => Outcome::Released,
            HoldStatus::Converted => Outcome::Refused(sold),
        };
        self.answer(reply, outcome);
        self.finish(&buyer, None);
    }

    /// The refusals of giving a part back that need no section.
    pub(super) fn check_part(
        &self,
        buyer: &BuyerId,
        id: HoldId,
        part: &Result<Claim, Vec<String>>,
    ) -> Result<Claim, Refusal> {
        let hold = self.book.hold_of(buyer, id).ok_or(Refusal::NotFound)?;
        let part = part.as_ref().map_err(|names| Refusal::UnknownSeats(names.clone()))?;
        if hold.order.is_some() {
            return Err(Refusal::OrderNotCancellable);
        }
        match hold.status_at(self.now) {
            HoldStatus::Active => {}
            ended @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                return Err(Refusal::HoldNotActive(ended));
            }
        }
        let has_seat = |seat: &SeatIndex| hold.claim.seats.contains(seat);
        let mut places = part.places.iter().map(|(section, quantity)| {
            let has = hold.claim.places.iter().find(|(index, _)| index == section);
            has.map(|(_, has)| has >= quantity)
        });
        if !part.seats.iter().all(has_seat) || places.clone().any(|has| has.is_none()) {
            return Err(Refusal::NotFound);
        }
        if places.any(|enough| enough == Some(false)) {
            return Err(Refusal::UnknownSeats(vec!["?quantity".into()]));
        }
        Ok(part.clone())
    }

    /// Whoever gives all of it back has given the hold back. Of what is left every section has a say,
    /// too: none of them may find the hold over while another takes the part back.
    pub(super) fn give_back(&mut self, buyer: BuyerId, id: HoldId, part: Claim, reply: R) {
        let hold = self.book.hold(id).expect("the part was checked against it");
        let all = hold.claim.quantity() == part.quantity();
        let mut portions = part.portions(&self.terms.plan);
        for (section, portion) in hold.claim.portions(&self.terms.plan) {
            if !portions.iter().any(|(index, _)| *index == section) {
                portions.push((section, portion.none()));
            }
        }
        portions.sort_unstable_by_key(|(section, _)| *section);
        let errand = Errand::GiveBack { buyer, hold: id, part: part.clone(), reply };
        if all {
            return self.send(id, SectionAction::Release, errand);
        }
        let actions = portions
            .into_iter()
            .map(|(section, portion)| (section, SectionAction::GiveBack { hold: id, portion }));
        self.ask(actions, errand);
    }

    /// The hold has less now; with nothing left it is released.
    pub(super) fn reduce(&mut self, id: HoldId, part: Claim, at: Moment, facts: &mut Vec<Fact>) {
        let hold = self.book.hold(id).expect("only a known hold is reduced");
        let left = hold.claim.without(&part);
        if left.is_empty() {
            return self.book.end(id, HoldStatus::Released, at, facts);
        }
        let bill = self.bill_at_prices_of(hold, &left);
        self.book.reduce(id, part, bill, at, facts);
    }

    /// The refusal of what only a living hold allows.
    pub(super) fn not_active(&self, id: HoldId) -> Outcome {
        let hold = self.book.hold(id).expect("the hold was known when its section was asked");
        Outcome::Refused(Refusal::HoldNotActive(hold.status_at(self.now)))
    }
}
