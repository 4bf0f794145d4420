//! Holds: the keys they were asked for with, what is refused before any section is asked, and claims.
//!
//! One section decides a claim at one instant, so its answer is foretold to the letter. Several decide
//! one after the other: each part of their answer must have been so at some instant meanwhile.

use super::state::{Fate, Hold, Refused};
use super::{
    Claim, Difference, HoldName, HoldShown, HoldState, Instant, Oracle, Question, Refusal, Reply,
    SaleState, Terms, Told, Wish, differ, expect,
};

/// How long a refused hold's key stands for that.
const REFUSAL_KEPT: Instant = 60_000_000;

impl Oracle {
    pub(super) fn hear_place(
        &mut self,
        question: &Question,
        reply: &Reply,
        name: HoldName,
        body: u64,
        wish: &Wish,
        admitted: bool,
    ) -> Result<(), Difference> {
        if let Some((told, replayed)) = self.replay_place(name, body, reply.as_of) {
            return expect(told, replayed, reply);
        }
        // It may have waited for new terms: then it was begun by these.
        let begun_at = question.at.max(self.terms_since);
        let question = &Question { at: begun_at, ..question.clone() };
        match &reply.told {
            Told::Hold(shown) if !reply.replayed => {
                if shown.created_at < begun_at || shown.created_at > reply.as_of {
                    return differ("a hold made between question and answer", reply);
                }
                let (declined, split) =
                    self.check_granted(question, reply, shown, wish, admitted)?;
                self.grant(name, body, shown, declined, split, reply)
            }
            Told::Refused(refusal @ Refusal::SeatsUnavailable { seats, sections })
                if !reply.replayed =>
            {
                self.check_unavailable(question, reply, wish, admitted, (seats, sections))?;
                self.remember_refused(name, body, refusal, reply.as_of)
            }
            Told::Refused(refusal) => {
                let door = self.at_the_door(question.buyer, wish, admitted, reply.as_of);
                let Some(told) = door else {
                    return differ("a hold, or seats that cannot be had", reply);
                };
                expect(Told::Refused(told), false, reply)?;
                match refusal {
                    Refusal::BuyerLimitExceeded { .. } => {
                        self.remember_refused(name, body, refusal, reply.as_of)
                    }
                    Refusal::NotFound
                    | Refusal::KeyReused
                    | Refusal::UnknownSeats(_)
                    | Refusal::PartTooLarge { .. }
                    | Refusal::UnknownTickets(_)
                    | Refusal::RefundNotPossible
                    | Refusal::TermsInvalid(_)
                    | Refusal::PurchasesPaused
                    | Refusal::SaleNotOpen { .. }
                    | Refusal::AdmissionRequired
                    | Refusal::ConflictsWithSales(_)
                    | Refusal::HoldNotActive(_)
                    | Refusal::OrderNotCancellable
                    | Refusal::SeatsUnavailable { .. } => Ok(()),
                }
            }
            Told::Hold(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Order(_)
            | Told::Verdict(_)
            | Told::Refunded(_)
            | Told::Operated(_) => differ("a hold or a refusal", reply),
        }
    }

    /// What was declined of the wish with this hold, and whether its seats are split.
    fn check_granted(
        &self,
        question: &Question,
        reply: &Reply,
        shown: &HoldShown,
        wish: &Wish,
        admitted: bool,
    ) -> Result<(Claim, Option<bool>), Difference> {
        let (at, taken) = (shown.created_at, &shown.claim);
        if let Some(refusal) = self.at_the_door(question.buyer, wish, admitted, at) {
            expect(Told::Refused(refusal), false, reply)?;
        }
        match wish {
            Wish::Claim { claim, fewer } => {
                self.check_claim(claim, *fewer, taken, question, reply, at)?;
                Ok((claim.without(taken), None))
            }
            Wish::Best { best, fewer } => self.check_best(best, *fewer, taken, question, reply, at),
            Wish::Unknown(_) => unreachable!("the door refuses what the event lacks"),
        }
    }

    /// These could not be had, at some instant at which the door let the wish in.
    fn check_unavailable(
        &self,
        question: &Question,
        reply: &Reply,
        wish: &Wish,
        admitted: bool,
        (seats, sections): (&[u32], &[u16]),
    ) -> Result<(), Difference> {
        let door = |at| self.at_the_door(question.buyer, wish, admitted, at);
        let mut expected = door(reply.as_of).map(|it| format!("{it:?}")).unwrap_or_default();
        for at in self.instants(question, reply).into_iter().filter(|at| door(*at).is_none()) {
            let checked = match wish {
                Wish::Claim { claim, fewer } => {
                    let stock = self.stock(claim, question, reply, at);
                    stock.refuses(claim, *fewer, seats, sections)
                }
                Wish::Best { best, fewer } => {
                    self.refuses_best(best, *fewer, seats, sections, question, reply, at)
                }
                Wish::Unknown(_) => Err("no such seats".into()),
            };
            match checked {
                Ok(()) => return Ok(()),
                Err(why) => expected = why,
            }
        }
        differ(expected, reply)
    }

    /// What the key stands for already.
    fn replay_place(&self, name: HoldName, body: u64, at: Instant) -> Option<(Told, bool)> {
        let (first, told) = if let Some(hold) = self.state.holds.get(&name) {
            (hold.body, Told::Hold(Box::new(hold.shown(at))))
        } else {
            let refused = self.state.refused.get(&name);
            let refused = refused.filter(|refused| at < refused.at + REFUSAL_KEPT)?;
            (refused.body, Told::Refused(refused.refusal.clone()))
        };
        Some(if first == body { (told, true) } else { (Told::Refused(Refusal::KeyReused), false) })
    }

    fn remember_refused(
        &mut self,
        name: HoldName,
        body: u64,
        refusal: &Refusal,
        at: Instant,
    ) -> Result<(), Difference> {
        self.state.refused.insert(name, Refused { body, refusal: refusal.clone(), at });
        Ok(())
    }

    /// What is refused at this instant before anything is looked for.
    fn at_the_door(&self, buyer: u32, wish: &Wish, admitted: bool, at: Instant) -> Option<Refusal> {
        let asked = match wish {
            Wish::Unknown(names) => return Some(Refusal::UnknownSeats(names.clone())),
            Wish::Claim { claim, .. } => claim.quantity(),
            Wish::Best { best, .. } => best.quantity,
        };
        let (terms, held) = (&self.hall.terms, self.state.held_by(buyer, at));
        if self.site_paused.is_on(at) {
            return Some(Refusal::PurchasesPaused);
        }
        match terms.state(at) {
            SaleState::Open => {}
            state @ (SaleState::Scheduled | SaleState::Paused | SaleState::Closed) => {
                return Some(Refusal::SaleNotOpen { opens_at: terms.opens_at, state });
            }
        }
        if terms.waiting_room && !admitted {
            return Some(Refusal::AdmissionRequired);
        }
        let limit = terms.limit;
        (held + asked > limit).then_some(Refusal::BuyerLimitExceeded { limit, held })
    }

    /// Instants between question and answer at which something may have become otherwise by the clock
    /// alone.
    pub(super) fn instants(&self, question: &Question, reply: &Reply) -> Vec<Instant> {
        let span = question.at..=reply.as_of;
        let first = HoldName { buyer: 0, key: 0 };
        let ends = self.state.ends.range((question.at, first)..);
        let ends = ends.map(|(at, _)| *at).take_while(|at| span.contains(at));
        let Terms { opens_at, closes_at, .. } = self.hall.terms;
        let sale = [opens_at, closes_at - 1, closes_at].into_iter().filter(|at| span.contains(at));
        let site = self.site_paused.turned_within(span.clone());
        ends.chain(sale).chain(site).chain([question.at, reply.as_of]).collect()
    }

    /// A granted claim: what was taken was free, what was declined was not.
    fn check_claim(
        &self,
        claim: &Claim,
        fewer: bool,
        taken: &Claim,
        question: &Question,
        reply: &Reply,
        at: Instant,
    ) -> Result<(), Difference> {
        let owner = taken.seats.iter().find_map(|seat| self.state.tenures.owner(*seat, at));
        if let Some(owner) = owner {
            return differ(format!("nothing of what {owner:?} has"), reply);
        }
        let declined = claim.without(taken);
        let kept_order = claim.without(&declined) == *taken;
        if !kept_order || taken.quantity() == 0 || (!fewer && declined.quantity() > 0) {
            return differ(format!("{claim:?}, or a part of it if fewer will do"), reply);
        }
        let stock = self.stock(claim, question, reply, at);
        let is_exact = self.is_exact(claim);
        if let Some(seat) = declined.seats.iter().find(|seat| !stock.doubtful.contains(seat)) {
            return differ(format!("seat {seat} too, which was free"), reply);
        }
        for (section, least, most) in stock.free {
            let (asked, has) = (claim.places_in(section), taken.places_in(section));
            // Of several sections this one may have kept them ready since, while others moved.
            let left = if is_exact { most } else { self.free_places(section, reply.as_of) };
            let least = asked.min(least);
            if has > left || has < least {
                let expected = format!("{least} to {left} places of section {section}");
                return differ(expected, reply);
            }
        }
        Ok(())
    }

    fn grant(
        &mut self,
        name: HoldName,
        body: u64,
        shown: &HoldShown,
        declined: Claim,
        split: Option<bool>,
        reply: &Reply,
    ) -> Result<(), Difference> {
        let (at, claim) = (shown.created_at, shown.claim.clone());
        let hold = Hold {
            name,
            body,
            bill: self.hall.bill(&claim),
            claim,
            declined,
            split,
            created_at: at,
            expires_at: at + self.hall.terms.hold_ttl,
            fate: Fate::Living,
            order: None,
            returned: Vec::new(),
        };
        debug_assert_ne!(hold.status(at), HoldState::Converted);
        expect(Told::Hold(Box::new(hold.shown(reply.as_of))), false, reply)?;
        self.state.refused.remove(&name);
        self.rows.touch(&hold);
        self.state.begin(hold, reply.as_of);
        Ok(())
    }
}
