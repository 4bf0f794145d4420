//! Seats that the house chooses. In a named section that section chooses and takes at once. Otherwise
//! sections are asked what they could offer, the one whose nearest seat is nearest first, for as long
//! as one that has not been asked could still be nearer than the best offer; then the best of them
//! chooses and takes, and if somebody was faster there, the sections choose in turn.
//!
//! A party that fits nowhere as a whole is put together from the offers of several sections, if it may
//! be split at all.

use std::collections::VecDeque;

use super::Door;
use super::errands::{Errand, Heard};
use crate::command::BestWish;
use crate::event::fact::Fact;
use crate::hold::{Choice, Claim, Hold, Portion, Remarks};
use crate::id::{SeatIndex, SectionIndex};
use crate::refusal::Refusal;
use crate::seating::{ChoiceWish, ORPHAN, Reason};
use crate::section::{SectionAction, SectionEvent};

/// How often a party is put together anew because somebody was faster with one of its seats.
const GATHERINGS_MAX: u32 = 4;

/// A search under way, for a hold that claims nothing yet.
#[derive(Debug)]
pub(super) struct Search {
    hold: Box<Hold>,
    wish: BestWish,
    accept_fewer: bool,
    /// How many seats are looked for at present.
    quantity: u32,
    /// Sections not asked yet, the nearest first, each with the least distance it could offer.
    left: VecDeque<(f32, SectionIndex)>,
    step: Step,
}

/// What offers of sections are compared by: together before split, then distance in hundredths of a
/// seat, with what a single seat left behind costs.
type Cost = (bool, u32);

fn cost(choice: &Choice) -> Cost {
    (choice.split, choice.distance + choice.orphans * ORPHAN * 100)
}

#[derive(Debug)]
enum Step {
    /// Who could offer what; the best offer so far.
    Compare(Option<(Cost, SectionIndex)>),
    /// The next section takes what it has.
    Take,
    /// What several sections offer is put together.
    Gather { found: Vec<(Vec<SeatIndex>, Choice)>, tries: u32 },
}

impl<R> Door<R> {
    /// Begins the search for a new hold.
    pub(super) fn search(&mut self, hold: Hold, wish: BestWish, accept_fewer: bool, reply: R) {
        let left = self.candidates(&wish);
        let step = if left.len() == 1 { Step::Take } else { Step::Compare(None) };
        let quantity = wish.quantity;
        let hold = Box::new(hold);
        self.go_on(Search { hold, wish, accept_fewer, quantity, left, step }, reply);
    }

    /// Sections in which there may be such seats, the nearest first.
    fn candidates(&self, wish: &BestWish) -> VecDeque<(f32, SectionIndex)> {
        if let Some(section) = wish.section {
            return [(0.0, section)].into();
        }
        let plan = &self.terms.plan;
        // What is overdue and not yet written is free, too, wherever it lies.
        let unsure = self.book.overdue(self.now).next().is_some();
        let may_have = |section: &SectionIndex| {
            let some = unsure || self.book.free_seats(*section) > 0;
            some && !self.quarantine.contains_key(section)
        };
        let bound = |section: SectionIndex| {
            let nearest = plan.seating(section).map(|seating| seating.nearest(wish.tier));
            nearest.filter(|nearest| nearest.is_finite()).map(|nearest| (nearest, section))
        };
        let mut candidates: Vec<(f32, SectionIndex)> = (0..)
            .map(SectionIndex)
            .take(plan.sections().len())
            .filter(may_have)
            .filter_map(bound)
            .collect();
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        candidates.into()
    }

    fn go_on(&mut self, mut search: Search, reply: R) {
        let wish = ChoiceWish {
            quantity: search.quantity,
            tier: search.wish.tier,
            adjacent: search.wish.adjacent,
            accessible: search.wish.accessible,
        };
        let next = search.left.pop_front();
        let (section, action) = match (&mut search.step, next) {
            // Nobody left could be nearer than the best offer.
            (Step::Compare(Some(((false, cost), best))), Some((bound, _)))
                if bound * 100.0 >= *cost as f32 =>
            {
                let best = *best;
                return self.take_from(search, best, wish, reply);
            }
            (Step::Compare(_), Some((_, section))) => {
                (section, SectionAction::Offer { wish, accept_fewer: false })
            }
            (Step::Compare(Some((_, best))), None) => {
                let best = *best;
                return self.take_from(search, best, wish, reply);
            }
            (Step::Take, Some((_, section))) => (section, self.choose(&search, wish)),
            (Step::Gather { found, .. }, Some((_, section))) => {
                let have: usize = found.iter().map(|(seats, _)| seats.len()).sum();
                let wanted =
                    wish.quantity - u32::try_from(have).expect("no more than was asked for");
                let accessible = wish.accessible && found.is_empty();
                let wish = ChoiceWish { quantity: wanted, accessible, ..wish };
                (section, SectionAction::Offer { wish, accept_fewer: true })
            }
            (Step::Compare(None) | Step::Take, None) => return self.look_for_less(search, reply),
            (Step::Gather { .. }, None) => return self.gathered(search, reply),
        };
        self.ask([(section, action)].into_iter(), Errand::Search { search, section, reply });
    }

    /// The section of the best offer takes it, or whatever is best there by now.
    fn take_from(&mut self, mut search: Search, best: SectionIndex, wish: ChoiceWish, reply: R) {
        search.left = self.candidates(&search.wish);
        search.left.retain(|(_, section)| *section != best);
        search.step = Step::Take;
        let action = self.choose(&search, wish);
        let errand = Errand::Search { search, section: best, reply };
        self.ask([(best, action)].into_iter(), errand);
    }

    fn choose(&self, search: &Search, wish: ChoiceWish) -> SectionAction {
        // In a named section fewer are that section's own business.
        let accept_fewer = search.accept_fewer && search.wish.section.is_some();
        let (hold, expires_at) = (search.hold.id, search.hold.expires_at);
        SectionAction::Choose { hold, wish, accept_fewer, expires_at }
    }

    /// A section has answered.
    pub(super) fn searched(
        &mut self,
        mut search: Search,
        section: SectionIndex,
        reply: R,
        heard: &Heard,
        facts: Vec<Fact>,
    ) {
        let events = heard.iter().flat_map(|(_, decision)| &decision.events);
        for event in events {
            match event {
                SectionEvent::HoldPlaced { portion, choice: Some(choice), .. } => {
                    let choice = (**choice).clone();
                    return self.found(search, portion, choice, reply, facts);
                }
                SectionEvent::Offered { seats, choice } => match &mut search.step {
                    Step::Compare(best) => {
                        let offer = (cost(choice), section);
                        *best = Some(best.map_or(offer, |best| best.min(offer)));
                    }
                    Step::Gather { found, .. } => {
                        found.push((seats.clone(), (**choice).clone()));
                        let have: usize = found.iter().map(|(seats, _)| seats.len()).sum();
                        if have == search.quantity as usize {
                            search.left.clear();
                        }
                    }
                    Step::Take => unreachable!("who takes does not offer"),
                },
                SectionEvent::HoldPlaced { choice: None, .. } => {
                    unreachable!("a section that chooses says why")
                }
                SectionEvent::HoldExpired(_)
                | SectionEvent::HoldReduced { .. }
                | SectionEvent::HoldReleased(_)
                | SectionEvent::HoldConverted(_)
                | SectionEvent::SeatsBlocked(_)
                | SectionEvent::SeatsUnblocked(_)
                | SectionEvent::CapacitySet(_) => {}
            }
        }
        self.write(facts);
        self.go_on(search, reply);
    }

    /// No section has so many. One less, or from several sections, if either will do.
    fn look_for_less(&mut self, mut search: Search, reply: R) {
        let anywhere = search.wish.section.is_none();
        if anywhere && !search.wish.adjacent {
            search.quantity = search.wish.quantity;
            search.step = Step::Gather { found: Vec::new(), tries: 0 };
        } else if anywhere && search.accept_fewer && search.quantity > 1 {
            search.quantity -= 1;
            search.step = Step::Compare(None);
        } else {
            return self.found_nothing(search, reply);
        }
        search.left = self.candidates(&search.wish);
        if search.left.is_empty() {
            return self.found_nothing(search, reply);
        }
        self.go_on(search, reply);
    }

    /// All offers are in.
    fn gathered(&mut self, search: Search, reply: R) {
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
        let errand = Errand::PlaceGathered { hold: Box::new(hold), search, tries, reply };
        self.ask(actions, errand);
    }

    /// Somebody was faster with one of the seats that were put together.
    pub(super) fn gather_again(&mut self, mut search: Search, tries: u32, reply: R) {
        if tries >= GATHERINGS_MAX {
            return self.found_nothing(search, reply);
        }
        search.step = Step::Gather { found: Vec::new(), tries };
        search.left = self.candidates(&search.wish);
        self.go_on(search, reply);
    }

    /// The search's hold with what was found.
    fn claiming(&self, search: &Search, claim: Claim, choice: Choice) -> Hold {
        let fewer = search.wish.quantity - claim.quantity();
        let section = claim.seats.first().map(|seat| self.terms.plan.seat(*seat).section);
        let declined =
            section.filter(|_| fewer > 0).map(|section| Claim::of_places(section, fewer));
        let mut hold = self.priced((*search.hold).clone(), claim);
        let (declined, choice) = (declined.unwrap_or_default(), Some(choice));
        hold.remarks = Some(Box::new(Remarks { declined, choice }));
        hold
    }

    /// A section took seats for the search's hold.
    fn found(
        &mut self,
        search: Search,
        portion: &Portion,
        choice: Choice,
        reply: R,
        facts: Vec<Fact>,
    ) {
        let Portion::Seats(seats) = portion else { unreachable!("seats are chosen, not places") };
        let hold = self.claiming(&search, Claim::of_seats(seats.clone()), choice);
        self.grant(hold, reply, facts);
    }

    fn found_nothing(&mut self, search: Search, reply: R) {
        let sections = search.wish.section.into_iter().collect();
        let refusal = Refusal::SeatsUnavailable { seats: Vec::new(), sections };
        self.refuse(&search.hold, refusal, reply, Vec::new());
    }
}

/// The choice of a party whose parts sit in several sections.
fn together(parts: &[(Vec<SeatIndex>, Choice)]) -> Choice {
    let seats = |(seats, _): &(Vec<SeatIndex>, Choice)| seats.len() as u64;
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
