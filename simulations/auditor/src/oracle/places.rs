//! Holds: the keys they were asked for with, what is refused before any section is asked, and claims.
//!
//! One section decides a claim at one instant, so its answer is foretold to the letter. Several decide
//! one after the other: each part of their answer must have been so at some instant meanwhile.

use super::reply::Fate as Status;
use super::seats::Span;
use super::state::{Fate, Hold, Refused};
use super::{
    Claim, Difference, HoldName, Instant, Oracle, Question, Refusal, Reply, SaleState, Told, Wish,
    differ, expect,
};

/// How long a refused hold's key stands for that.
const REFUSAL_KEPT: Instant = 60_000_000;

/// What there is of a claim.
struct Stock {
    /// Seats that were taken all the while.
    gone: Vec<u32>,
    /// Seats that were taken at some time.
    doubtful: Vec<u32>,
    /// Of each section of places, the fewest and the most that were free.
    free: Vec<(u16, u32, u32)>,
}

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
        let door = |at| self.at_the_door(question.buyer, wish, admitted, at);
        match &reply.told {
            Told::Hold(shown) if !reply.replayed => {
                let at = shown.created_at;
                if at < question.at || at > reply.as_of {
                    return differ("a hold made between question and answer", reply);
                }
                if let Some(refusal) = door(at) {
                    return expect(Told::Refused(refusal), false, reply);
                }
                let taken = shown.claim.clone();
                let (declined, split) = match wish {
                    Wish::Claim { claim, fewer } => {
                        let declined = claim.without(&taken);
                        self.check_claim(claim, *fewer, &taken, question, reply, at)?;
                        (declined, None)
                    }
                    Wish::Best { best, fewer } => {
                        self.check_best(best, *fewer, &taken, question, reply, at)?
                    }
                    Wish::Unknown(_) => unreachable!("the door refuses what the event lacks"),
                };
                self.grant(name, body, taken, declined, split, at, reply)
            }
            Told::Refused(refusal @ Refusal::SeatsUnavailable { seats, sections })
                if !reply.replayed =>
            {
                let instants = self.instants(question, reply);
                let mut expected = String::new();
                for at in instants.into_iter().filter(|at| door(*at).is_none()) {
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
                        Ok(()) => return self.remember_refused(name, body, refusal, reply.as_of),
                        Err(why) => expected = why,
                    }
                }
                differ(expected, reply)
            }
            Told::Refused(refusal) => {
                let Some(told) = door(reply.as_of) else {
                    return differ("a hold, or seats that cannot be had", reply);
                };
                expect(Told::Refused(told), false, reply)?;
                match refusal {
                    Refusal::BuyerLimitExceeded { .. } => {
                        self.remember_refused(name, body, refusal, reply.as_of)
                    }
                    _ => Ok(()),
                }
            }
            _ => differ("a hold or a refusal", reply),
        }
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
        let (hall, held) = (&self.hall, self.state.held_by(buyer, at));
        if at < hall.opens_at || at >= hall.closes_at {
            let state = if at < hall.opens_at { SaleState::Scheduled } else { SaleState::Closed };
            return Some(Refusal::SaleNotOpen { opens_at: hall.opens_at, state });
        }
        if hall.waiting_room && !admitted {
            return Some(Refusal::AdmissionRequired);
        }
        let limit = hall.limit;
        (held + asked > limit).then_some(Refusal::BuyerLimitExceeded { limit, held })
    }

    /// Instants between question and answer at which something may have become otherwise by the clock
    /// alone.
    fn instants(&self, question: &Question, reply: &Reply) -> Vec<Instant> {
        let span = question.at..=reply.as_of;
        let first = HoldName { buyer: 0, key: 0 };
        let ends = self.state.ends.range((question.at, first)..);
        let ends = ends.map(|(at, _)| *at).take_while(|at| span.contains(at));
        let sale = [self.hall.opens_at, self.hall.closes_at - 1, self.hall.closes_at];
        let sale = sale.into_iter().filter(|at| span.contains(at));
        ends.chain(sale).chain([question.at, reply.as_of]).collect()
    }

    /// What there was of the claim; exactly, at this instant, if one section has it.
    fn stock(&self, claim: &Claim, question: &Question, reply: &Reply, at: Instant) -> Stock {
        let tenures = &self.state.tenures;
        let span = Span { from: question.at, to: reply.as_of };
        let is_exact = self.is_exact(claim);
        let seats = |is_so: &dyn Fn(u32) -> bool| -> Vec<u32> {
            claim.seats.iter().copied().filter(|seat| is_so(*seat)).collect()
        };
        let free = claim.places.iter().map(|(section, _)| {
            let (least, most) = if is_exact {
                tenures.taken(*section, at)
            } else {
                tenures.taken_during(*section, span)
            };
            let left = |taken| self.hall.capacity(*section).saturating_sub(taken);
            (*section, left(most), left(least))
        });
        let free = free.collect();
        if is_exact {
            let gone = seats(&|seat| tenures.owner(seat, at).is_some());
            let doubtful = seats(&|seat| tenures.may_be_owned(seat, at));
            return Stock { gone, doubtful, free };
        }
        Stock {
            gone: seats(&|seat| tenures.is_surely_taken(seat, span)),
            doubtful: seats(&|seat| tenures.may_be_taken(seat, span)),
            free,
        }
    }

    /// Whether one section decides it, at one instant.
    fn is_exact(&self, claim: &Claim) -> bool {
        self.hall.sections_of(claim).len() == 1
    }

    fn free_places(&self, section: u16, at: Instant) -> u32 {
        let (taken, _) = self.state.tenures.taken(section, at);
        self.hall.capacity(section).saturating_sub(taken)
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

    #[expect(clippy::too_many_arguments, reason = "the parts of one hold")]
    fn grant(
        &mut self,
        name: HoldName,
        body: u64,
        claim: Claim,
        declined: Claim,
        split: Option<bool>,
        at: Instant,
        reply: &Reply,
    ) -> Result<(), Difference> {
        let hold = Hold {
            name,
            body,
            bill: self.hall.bill(&claim),
            claim,
            declined,
            split,
            created_at: at,
            expires_at: at + self.hall.hold_ttl,
            fate: Fate::Living,
            order: None,
        };
        debug_assert_ne!(hold.status(at), Status::Converted);
        expect(Told::Hold(Box::new(hold.shown(reply.as_of))), false, reply)?;
        self.state.refused.remove(&name);
        self.rows.touch(&hold);
        self.state.begin(hold, reply.as_of);
        Ok(())
    }
}

impl Stock {
    /// Whether this is the refusal: it names all that was gone, and nothing that was there.
    fn refuses(
        &self,
        claim: &Claim,
        fewer: bool,
        seats: &[u32],
        sections: &[u16],
    ) -> Result<(), String> {
        let in_order = |seat: &u32| seats.contains(seat);
        let asked: Vec<u32> = claim.seats.iter().copied().filter(in_order).collect();
        let places = claim.places.iter().map(|(section, _)| *section);
        let asked_sections: Vec<u16> = places.filter(|it| sections.contains(it)).collect();
        let names_what_was_asked = asked == seats && asked_sections == sections;
        let seats_right = claim.seats.iter().all(|seat| {
            let named = seats.contains(seat);
            if named { self.doubtful.contains(seat) } else { !self.gone.contains(seat) }
        });
        let places_right = self.free.iter().all(|(section, least, most)| {
            let needed = if fewer { 1 } else { claim.places_in(*section) };
            if sections.contains(section) { *least < needed } else { *most >= needed }
        });
        let some = !seats.is_empty() || !sections.is_empty();
        let all = seats.len() == claim.seats.len() && sections.len() == claim.places.len();
        if names_what_was_asked && seats_right && places_right && some && (all || !fewer) {
            return Ok(());
        }
        let (gone, doubtful, free) = (&self.gone, &self.doubtful, &self.free);
        Err(format!("taken {gone:?} at least and {doubtful:?} at most, free places {free:?}"))
    }
}
