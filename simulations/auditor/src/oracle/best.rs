//! Seats that the house chose: whether they are what was wished for, by the oracle's own geometry. Which
//! of those that fit are the best is not asked here.

use std::collections::BTreeSet;

use super::hall::HallSeat;
use super::seats::Span;
use super::{Best, Claim, Difference, Instant, Oracle, Question, Reply, differ};

impl Oracle {
    /// What is declined with these seats, and whether they are split.
    pub(super) fn check_best(
        &self,
        best: &Best,
        fewer: bool,
        taken: &Claim,
        question: &Question,
        reply: &Reply,
        at: Instant,
    ) -> Result<(Claim, Option<bool>), Difference> {
        let seats = &taken.seats;
        let mut once = seats.clone();
        once.sort_unstable();
        once.dedup();
        let quantity = taken.quantity();
        let right_number = quantity == best.quantity || (fewer && quantity < best.quantity);
        if once.len() != seats.len() || !taken.places.is_empty() || quantity == 0 || !right_number {
            return differ(format!("{} different seats", best.quantity), reply);
        }
        // A section takes for a search later than the hold was begun.
        let at = if best.section.is_some() { at } else { reply.as_of };
        if let Some(owner) = seats.iter().find_map(|seat| self.state.tenures.owner(*seat, at)) {
            return differ(format!("nothing of what {owner:?} has"), reply);
        }
        let accessible = seats.iter().any(|seat| self.hall.seats[*seat as usize].accessible);
        let fit = seats.iter().all(|seat| self.fits(best, *seat));
        let is_run = self.hall.is_run(seats);
        if !fit || accessible != best.accessible || (best.adjacent && !is_run) {
            return differ(format!("seats for {best:?}"), reply);
        }
        let more = quantity + 1..=best.quantity;
        if more.clone().any(|more| self.could_have(best, more, question, reply, at)) {
            return differ(format!("more seats, up to {}", best.quantity), reply);
        }
        let mut declined = Claim::default();
        if quantity < best.quantity {
            let section = self.hall.seats[seats[0] as usize].section;
            declined.places.push((section, best.quantity - quantity));
        }
        Ok((declined, Some(!is_run)))
    }

    /// Whether there may have been no such seats.
    #[expect(clippy::too_many_arguments, reason = "a question, its answer, and their parts")]
    pub(super) fn refuses_best(
        &self,
        best: &Best,
        fewer: bool,
        seats: &[u32],
        sections: &[u16],
        question: &Question,
        reply: &Reply,
        at: Instant,
    ) -> Result<(), String> {
        // Those in which there would have been such seats.
        let fits = |seat: &&HallSeat| best.tier.is_none_or(|tier| seat.tier == tier);
        let of_tier = self.hall.seats.iter().filter(fits).map(|seat| seat.section);
        let all: BTreeSet<u16> = of_tier.collect();
        let named: Vec<u16> = match best.section {
            Some(section) => vec![section],
            None => all.into_iter().collect(),
        };
        if !seats.is_empty() || sections != named {
            return Err(format!("sections {named:?} and no seats"));
        }
        let least = if fewer { 1 } else { best.quantity };
        if self.could_have(best, least, question, reply, at) {
            return Err(format!("seats for {best:?}, which were free"));
        }
        Ok(())
    }

    /// Whether so many such seats were surely there: in the one section that was asked, at this instant;
    /// else all the while.
    fn could_have(
        &self,
        best: &Best,
        quantity: u32,
        question: &Question,
        reply: &Reply,
        at: Instant,
    ) -> bool {
        let span = Span { from: question.at, to: reply.as_of };
        let tenures = &self.state.tenures;
        let is_free = |seat: u32| match best.section {
            Some(_) => !tenures.may_be_owned(seat, at),
            None => !tenures.may_be_taken(seat, span),
        };
        let all = 0..u32::try_from(self.hall.seats.len()).unwrap_or(u32::MAX);
        let usable: Vec<u32> =
            all.filter(|seat| self.fits(best, *seat) && is_free(*seat)).collect();
        if best.adjacent || best.accessible {
            return self.has_run(&usable, best, quantity as usize);
        }
        usable.len() >= quantity as usize
    }

    /// Whether so many of these seats, which are in index order, are side by side.
    fn has_run(&self, usable: &[u32], best: &Best, quantity: usize) -> bool {
        usable.windows(quantity).any(|run| {
            let accessible = run.iter().any(|seat| self.hall.seats[*seat as usize].accessible);
            self.hall.is_run(run) && (accessible || !best.accessible)
        })
    }

    fn fits(&self, best: &Best, seat: u32) -> bool {
        let seat = self.hall.seats[seat as usize];
        best.section.is_none_or(|section| section == seat.section)
            && best.tier.is_none_or(|tier| tier == seat.tier)
            && (best.accessible || !seat.accessible)
    }
}
