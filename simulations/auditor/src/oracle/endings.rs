//! Holds and parts of holds that are given back.

use super::state::Fate;
use super::{
    Claim, Difference, HoldName, HoldState, Oracle, Question, Refusal, Reply, Told, differ, expect,
};

impl Oracle {
    pub(super) fn hear_release(
        &mut self,
        question: &Question,
        reply: &Reply,
        name: HoldName,
    ) -> Result<(), Difference> {
        let refusal = match self.state.hold_of(question.buyer, name).map(|hold| hold.fate) {
            None => Refusal::NotFound,
            Some(Fate::Sold) => Refusal::HoldNotActive(HoldState::Converted),
            Some(_) => return self.give_back_all(question, reply, name, Told::Released),
        };
        expect(Told::Refused(refusal), false, reply)
    }

    pub(super) fn hear_cancel(
        &mut self,
        question: &Question,
        reply: &Reply,
        name: HoldName,
    ) -> Result<(), Difference> {
        let hold = self.state.hold_of(question.buyer, name);
        let refusal = match hold.filter(|hold| hold.order.is_some()).map(|hold| hold.fate) {
            None => Refusal::NotFound,
            Some(Fate::Sold) => Refusal::OrderNotCancellable,
            Some(_) => return self.give_back_all(question, reply, name, Told::Released),
        };
        expect(Told::Refused(refusal), false, reply)
    }

    /// The hold ends, if it has not; whether by this word or by the clock may be open.
    fn give_back_all(
        &mut self,
        question: &Question,
        reply: &Reply,
        name: HoldName,
        told: Told,
    ) -> Result<(), Difference> {
        expect(told, false, reply)?;
        let hold = &self.state.holds[&name];
        if hold.fate != Fate::Living {
            return Ok(());
        }
        let fate = if reply.as_of < hold.expires_at {
            Fate::Released
        } else if question.at >= hold.expires_at {
            Fate::Expired
        } else {
            Fate::ReleasedOrExpired
        };
        self.rows.touch(hold);
        self.state.end(name, fate, reply.as_of);
        Ok(())
    }

    pub(super) fn hear_give_back(
        &mut self,
        question: &Question,
        reply: &Reply,
        name: HoldName,
        part: &Result<Claim, Vec<String>>,
    ) -> Result<(), Difference> {
        let Told::Hold(_) = &reply.told else {
            return match self.refuse_part(question.buyer, name, part, reply.as_of) {
                Some(refusal) => expect(Told::Refused(refusal), false, reply),
                None => differ("what is left of the hold", reply),
            };
        };
        // It was decided at some time since it was asked; while the hold lived, or not at all.
        if let Some(refusal) = self.refuse_part(question.buyer, name, part, question.at) {
            return expect(Told::Refused(refusal), false, reply);
        }
        let (Some(hold), Ok(part)) = (self.state.holds.get_mut(&name), part) else {
            unreachable!("such a part was refused")
        };
        self.rows.touch(hold);
        let left = hold.claim.without(part);
        if left.quantity() == 0 {
            self.state.end(name, Fate::Released, reply.as_of);
        } else {
            hold.bill = self.hall.bill_of_rest(&hold.bill, &hold.claim, &left);
            hold.claim = left;
            self.state.tenures.end(name, part, reply.as_of);
        }
        let shown = self.state.holds[&name].shown(reply.as_of);
        expect(Told::Hold(Box::new(shown)), false, reply)
    }

    fn refuse_part(
        &self,
        buyer: u32,
        name: HoldName,
        part: &Result<Claim, Vec<String>>,
        at: super::Instant,
    ) -> Option<Refusal> {
        let Some(hold) = self.state.hold_of(buyer, name) else { return Some(Refusal::NotFound) };
        let part = match part {
            Ok(part) => part,
            Err(names) => return Some(Refusal::UnknownSeats(names.clone())),
        };
        let has_seats = part.seats.iter().all(|seat| hold.claim.seats.contains(seat));
        let lacks = |(section, _): &(u16, u32)| hold.claim.places_in(*section) == 0;
        if !has_seats || part.places.iter().any(lacks) {
            return Some(Refusal::NotFound);
        }
        let has = part.places.iter().map(|(section, asked)| {
            let has = hold.claim.places_in(*section);
            (*section, has, *asked)
        });
        if let Some((section, has, _)) = has.into_iter().find(|(_, has, asked)| asked > has) {
            return Some(Refusal::PartTooLarge { section, has });
        }
        if hold.order.is_some() {
            return Some(Refusal::OrderNotCancellable);
        }
        match hold.status(at) {
            HoldState::Active => None,
            ended => Some(Refusal::HoldNotActive(ended)),
        }
    }
}
