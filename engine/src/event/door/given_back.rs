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
    pub(super) fn release(
        &mut self,
        buyer: &BuyerId,
        id: HoldId,
        sold: Refusal,
        by: Moment,
        reply: R,
    ) {
        match self.book.hold_of(buyer, id).map(|hold| hold.status) {
            None => {
                self.answer(reply, Outcome::Refused(Refusal::NotFound));
                self.finish(buyer, None);
            }
            Some(HoldStatus::Active) => {
                let errand = Errand::Release { buyer: buyer.clone(), hold: id, sold, reply };
                self.send(id, SectionAction::Release, Some(by), errand);
            }
            Some(HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                self.released(buyer, id, sold, Vec::new(), reply);
            }
        }
    }

    /// The hold is over: by this word, by time, or because a confirmation was faster.
    pub(super) fn released(
        &mut self,
        buyer: &BuyerId,
        id: HoldId,
        sold: Refusal,
        facts: Vec<Fact>,
        reply: R,
    ) {
        let outcome = match self.book.hold(id).map(|hold| hold.status) {
            Some(HoldStatus::Converted) => Outcome::Refused(sold),
            Some(HoldStatus::Released | HoldStatus::Expired) => Outcome::Released,
            Some(HoldStatus::Active) | None => unreachable!("a release leaves no hold active"),
        };
        self.answer_with(facts, reply, outcome);
        self.finish(buyer, None);
    }

    /// The refusals of giving a part back that need no section, in order of precedence.
    pub(super) fn check_part(
        &self,
        buyer: &BuyerId,
        id: HoldId,
        part: &Result<Claim, Vec<String>>,
    ) -> Result<Claim, Refusal> {
        let hold = self.book.hold_of(buyer, id).ok_or(Refusal::NotFound)?;
        let part = part.as_ref().map_err(|names| Refusal::UnknownSeats(names.clone()))?;
        let has_seat = |seat: &SeatIndex| hold.claim.seats.contains(seat);
        if !part.seats.iter().all(has_seat) {
            return Err(Refusal::NotFound);
        }
        let places = part.places.iter().map(|(section, asked)| {
            let has = hold.claim.places.iter().find(|(index, _)| index == section);
            has.map(|(section, has)| (*section, *has, *asked)).ok_or(Refusal::NotFound)
        });
        let places: Vec<_> = places.collect::<Result<_, _>>()?;
        if let Some((section, has, _)) = places.into_iter().find(|(_, has, asked)| asked > has) {
            return Err(Refusal::PartTooLarge { section, has });
        }
        if hold.order.is_some() {
            return Err(Refusal::OrderNotCancellable);
        }
        match hold.status_at(self.now) {
            HoldStatus::Active => Ok(part.clone()),
            ended @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                Err(Refusal::HoldNotActive(ended))
            }
        }
    }

    /// Whoever gives all of it back has given the hold back. Of what is left every section has a say,
    /// too: none of them may find the hold over while another takes the part back.
    pub(super) fn give_back(
        &mut self,
        buyer: &BuyerId,
        id: HoldId,
        part: Claim,
        by: Moment,
        reply: R,
    ) {
        let hold = self.book.hold(id).expect("the part was checked against it");
        let all = hold.claim.quantity() == part.quantity();
        let mut portions = part.portions(&self.terms.plan);
        for (section, portion) in hold.claim.portions(&self.terms.plan) {
            if !portions.iter().any(|(index, _)| *index == section) {
                portions.push((section, portion.none()));
            }
        }
        portions.sort_unstable_by_key(|(section, _)| *section);
        let errand = Errand::GiveBack { buyer: buyer.clone(), hold: id, part, reply };
        if all {
            return self.send(id, SectionAction::Release, Some(by), errand);
        }
        let actions = portions
            .into_iter()
            .map(|(section, portion)| (section, SectionAction::GiveBack { hold: id, portion }));
        self.ask(actions, Some(by), errand);
    }

    /// Sections have said whether the part could still be given back, and at which instant it was.
    pub(super) fn part_given_back(
        &mut self,
        buyer: &BuyerId,
        id: HoldId,
        part: Claim,
        given_at: Option<Moment>,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        let outcome = match given_at {
            Some(at) => {
                self.reduce(id, part, at, &mut facts);
                self.hold_outcome(id)
            }
            None => self.not_active(id),
        };
        self.answer_with(facts, reply, outcome);
        self.finish(buyer, None);
    }

    /// The hold has less now; with nothing left it is released.
    fn reduce(&mut self, id: HoldId, part: Claim, at: Moment, facts: &mut Vec<Fact>) {
        let hold = self.book.hold(id).expect("only a known hold is reduced");
        let left = hold.claim.without(&part);
        if left.is_empty() {
            self.churn.dropped(self.now, &hold.buyer);
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
