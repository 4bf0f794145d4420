//! What there was of a claim: exactly, where one section decides it at one instant; else at least and at
//! most, while several did.

use super::seats::Span;
use super::{Claim, Instant, Oracle, Question, Reply};

/// What there is of a claim.
pub(super) struct Stock {
    /// Seats that were taken all the while.
    pub(super) gone: Vec<u32>,
    /// Seats that were taken at some time.
    pub(super) doubtful: Vec<u32>,
    /// Of each section of places, the fewest and the most that were free.
    pub(super) free: Vec<(u16, u32, u32)>,
}

impl Oracle {
    /// What there was of the claim; exactly, at this instant, if one section has it.
    pub(super) fn stock(
        &self,
        claim: &Claim,
        question: &Question,
        reply: &Reply,
        at: Instant,
    ) -> Stock {
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
    pub(super) fn is_exact(&self, claim: &Claim) -> bool {
        self.hall.sections_of(claim).len() == 1
    }

    pub(super) fn free_places(&self, section: u16, at: Instant) -> u32 {
        let (taken, _) = self.state.tenures.taken(section, at);
        self.hall.capacity(section).saturating_sub(taken)
    }
}

impl Stock {
    /// Whether this is the refusal: it names all that was gone, and nothing that was there.
    pub(super) fn refuses(
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
