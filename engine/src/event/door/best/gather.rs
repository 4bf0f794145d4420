//! A party that fits nowhere as a whole, put together from what several sections offer, the nearest
//! first. All of them take their part or none does; whoever was faster with one of the seats has the
//! offers gathered anew, so often and no more.

use super::{Offer, Search, Step};
use crate::event::door::Door;
use crate::event::door::errands::Errand;
use crate::hold::{Choice, Claim};
use crate::id::SeatIndex;
use crate::seating::{ChoiceWish, Reason};
use crate::section::SectionAction;

/// How often a party is put together anew because somebody was faster with one of its seats.
const GATHERINGS_MAX: u32 = 4;

impl<R> Door<R> {
    /// All offers are in.
    pub(super) fn gathered(&mut self, search: Search, reply: R) {
        let Step::Gather { found, tries } = &search.step else {
            unreachable!("only offers are gathered")
        };
        let tries = tries + 1;
        let seats: Vec<SeatIndex> = found.iter().flat_map(|(seats, _)| seats).copied().collect();
        let enough = seats.len() == search.quantity as usize;
        if seats.is_empty() || (!enough && !search.accept_fewer) {
            return self.found_nothing(search, reply);
        }
        let claim = Claim::of_seats(seats);
        let hold = self.claiming(&search, claim.clone(), together(found));
        let (id, expires_at) = (hold.id, hold.expires_at);
        let portions = claim.portions(&self.terms.plan).into_iter();
        let actions = portions.map(|(section, portion)| {
            (section, SectionAction::Place { hold: id, portion, accept_fewer: false, expires_at })
        });
        let deadline = Some(search.deadline);
        let errand = Errand::PlaceGathered { hold: Box::new(hold), search, tries, reply };
        self.ask(actions, deadline, errand);
    }

    /// Somebody was faster with one of the seats that were put together.
    pub(in crate::event::door) fn gather_again(
        &mut self,
        mut search: Search,
        tries: u32,
        reply: R,
    ) {
        if tries >= GATHERINGS_MAX {
            return self.found_nothing(search, reply);
        }
        search.step = Step::Gather { found: Vec::new(), tries };
        search.left = self.candidates(&search.wish);
        self.go_on(search, reply);
    }
}

/// What is still looked for once this has been found. One accessible seat is enough for a party.
pub(super) fn rest(wish: ChoiceWish, found: &[Offer]) -> ChoiceWish {
    let have: usize = found.iter().map(|(seats, _)| seats.len()).sum();
    let have = u32::try_from(have).expect("no more than was asked for");
    let accessible = wish.accessible && found.is_empty();
    ChoiceWish { quantity: wish.quantity - have, accessible, ..wish }
}

/// The choice of a party whose parts sit in several sections.
fn together(parts: &[Offer]) -> Choice {
    let seats = |(seats, _): &Offer| seats.len() as u64;
    let all: u64 = parts.iter().map(seats).sum();
    let ways: u64 = parts.iter().map(|part| u64::from(part.1.distance) * seats(part)).sum();
    let (_, nearest) = parts.first().expect("a party has a part");
    if parts.len() == 1 {
        return nearest.clone();
    }
    Choice {
        row: nearest.row.clone(),
        distance: u32::try_from(ways / all).expect("a mean is no more than its parts"),
        split: true,
        orphans: parts.iter().map(|(_, choice)| choice.orphans).sum(),
        reason: Reason::SplitNoRunFree,
    }
}
