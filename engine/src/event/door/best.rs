//! Seats that the house chooses. In a named section that section chooses and takes at once. Otherwise
//! sections are asked what they could offer, the one whose nearest seat is nearest first, for as long
//! as one that has not been asked could still be nearer than the best offer; then the best of them
//! chooses and takes, and if somebody was faster there, the sections choose in turn.
//!
//! A party that fits nowhere as a whole is put together from the offers of several sections
//! ([`gather`]), if it may be split at all.

mod gather;

use std::collections::VecDeque;

use super::Door;
use super::errands::{Errand, Heard};
use crate::answer::Unanswered;
use crate::command::BestWish;
use crate::event::fact::Fact;
use crate::hold::{Choice, Claim, Hold, Portion, Remarks};
use crate::id::{SeatIndex, SectionIndex};
use crate::moment::Moment;
use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::seating::{ChoiceWish, ORPHAN};
use crate::section::{SectionAction, SectionEvent};

/// A search under way, for a hold that claims nothing yet.
#[derive(Debug)]
pub(super) struct Search {
    hold: Box<Hold>,
    wish: BestWish,
    accept_fewer: bool,
    /// Until when its caller waits.
    deadline: Moment,
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

/// Seats that a section has, in the order in which people sit, and how good they are.
type Offer = (Vec<SeatIndex>, Choice);

#[derive(Debug)]
enum Step {
    /// Who could offer what; the best offer so far.
    Compare(Option<(Cost, SectionIndex)>),
    /// The next section takes what it has.
    Take,
    /// What several sections offer is put together.
    Gather { found: Vec<Offer>, tries: u32 },
}

impl<R> Door<R> {
    /// Begins the search for a new hold.
    pub(super) fn search(
        &mut self,
        hold: Hold,
        wish: BestWish,
        accept_fewer: bool,
        deadline: Moment,
        reply: R,
    ) {
        let left = self.candidates(&wish);
        let step = if left.len() == 1 { Step::Take } else { Step::Compare(None) };
        let quantity = wish.quantity;
        let hold = Box::new(hold);
        let search = Search { hold, wish, accept_fewer, deadline, quantity, left, step };
        self.go_on(search, reply);
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
            let some = unsure || self.book.stock().free_seats(*section) > 0;
            some && !self.quarantine.contains_key(section)
        };
        let mut candidates: Vec<(f32, SectionIndex)> =
            bounds(plan, wish.tier).filter(|(_, section)| may_have(section)).collect();
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        candidates.into()
    }

    fn go_on(&mut self, mut search: Search, reply: R) {
        if search.deadline < self.now {
            return self.give_search_up(&search, reply);
        }
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
                let wish = gather::rest(wish, found);
                (section, SectionAction::Offer { wish, accept_fewer: true })
            }
            (Step::Compare(None) | Step::Take, None) => return self.look_for_less(search, reply),
            (Step::Gather { .. }, None) => return self.gathered(search, reply),
        };
        let deadline = Some(search.deadline);
        let errand = Errand::Search { search, section, reply };
        self.ask([(section, action)].into_iter(), deadline, errand);
    }

    /// Its caller has gone, and nothing is taken.
    pub(super) fn give_search_up(&mut self, search: &Search, reply: R) {
        self.turn_away(reply, Unanswered::Overloaded);
        self.finish(&search.hold.buyer, Some(search.hold.id.uuid()));
    }

    /// The section of the best offer takes it, or whatever is best there by now.
    fn take_from(&mut self, mut search: Search, best: SectionIndex, wish: ChoiceWish, reply: R) {
        search.left = self.candidates(&search.wish);
        search.left.retain(|(_, section)| *section != best);
        search.step = Step::Take;
        let (action, deadline) = (self.choose(&search, wish), Some(search.deadline));
        let errand = Errand::Search { search, section: best, reply };
        self.ask([(best, action)].into_iter(), deadline, errand);
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
                | SectionEvent::HoldExtended { .. }
                | SectionEvent::TicketsReturned { .. }
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

    /// Named are the sections in which such seats would have been.
    fn found_nothing(&mut self, search: Search, reply: R) {
        let sections = match search.wish.section {
            Some(section) => vec![section],
            None => {
                bounds(&self.terms.plan, search.wish.tier).map(|(_, section)| section).collect()
            }
        };
        let refusal = Refusal::SeatsUnavailable { seats: Vec::new(), sections };
        self.refuse(&search.hold, refusal, reply, Vec::new());
    }
}

/// Sections that have seats of this tier, of any if none is named, each with the least distance of one.
fn bounds(plan: &Plan, tier: Option<u16>) -> impl Iterator<Item = (f32, SectionIndex)> + '_ {
    (0..).map(SectionIndex).take(plan.sections().len()).filter_map(move |section| {
        let nearest = plan.seating(section)?.nearest(tier);
        nearest.is_finite().then_some((nearest, section))
    })
}
