//! What operators do: seats off sale and on again, capacities, other terms, the sale stopped and started.
//!
//! New terms are decided between holds: those begun before are finished by the old ones and answered
//! first, those that come meanwhile are decided by the new. What sections have to say (what is in the
//! way of a block or of a smaller section) is judged as a hold of theirs is.

use super::seats::{Holder, Span};
use super::{
    Amendment, Change, Conflict, Defect, Difference, Instant, Kind, Oracle, Question, Refusal,
    Reply, SaleState, Terms, Told, differ, expect,
};

impl Oracle {
    /// All purchases of the site were stopped, or go on. Nobody decides that in order with anything
    /// else; it counts from this instant on.
    pub fn pause_site(&mut self, at: Instant, paused: bool) {
        self.site_paused.turn(at, paused);
    }

    pub(super) fn hear_operation(
        &mut self,
        question: &Question,
        reply: &Reply,
        deed: u32,
        change: &Change,
    ) -> Result<(), Difference> {
        let terms = match change {
            Change::Blocks { block, unblock } => {
                self.hear_blocks(question, reply, block, unblock)?;
                None
            }
            Change::Open | Change::Pause | Change::Resume | Change::Close => {
                match (self.act_on_sale(change, reply.as_of), &reply.told) {
                    (Ok(_), Told::Refused(_)) => return differ("it done", reply),
                    (Ok(terms), _) => Some(terms),
                    (Err(refusal), _) => return expect(Told::Refused(refusal), false, reply),
                }
            }
            Change::Amend(amendment) => match self.refuse_terms(amendment, reply.as_of) {
                Some(refusal) => return expect(Told::Refused(refusal), false, reply),
                None => self.hear_amendment(question, reply, amendment)?,
            },
        };
        if let Told::Refused(_) = reply.told {
            return Ok(());
        }
        if let Some(terms) = terms {
            self.sale_paused.turn(reply.as_of, terms.paused);
            self.hall.terms = terms;
            self.terms_since = reply.as_of;
        }
        self.rows.deeds.push(deed);
        expect(Told::Operated(self.state.tenures.blocked()), false, reply)
    }

    /// What is so already is granted again, but for a pause that is to end and is none.
    fn act_on_sale(&self, change: &Change, at: Instant) -> Result<Terms, Refusal> {
        let terms = self.hall.terms.clone();
        let state = terms.state(at);
        let not_open = Err(Refusal::SaleNotOpen { opens_at: terms.opens_at, state });
        match (change, state) {
            (Change::Pause, _) => Ok(Terms { paused: true, ..terms }),
            (Change::Resume, _) if terms.paused => Ok(Terms { paused: false, ..terms }),
            (Change::Resume, _) => Err(Refusal::TermsInvalid(vec![Defect::NotPaused(state)])),
            (Change::Open, SaleState::Scheduled) => Ok(Terms { opens_at: at, ..terms }),
            (Change::Open, SaleState::Open) | (Change::Close, SaleState::Closed) => Ok(terms),
            (Change::Open, SaleState::Paused | SaleState::Closed) => not_open,
            (Change::Close, _) if at < terms.opens_at => not_open,
            // It closes after it has opened, if only by the shortest time that there is.
            (Change::Close, _) => Ok(Terms { closes_at: at.max(terms.opens_at + 1), ..terms }),
            (Change::Blocks { .. } | Change::Amend(_), _) => unreachable!("these do more"),
        }
    }

    /// What is wrong with new terms, whatever sections say.
    fn refuse_terms(&self, amendment: &Amendment, at: Instant) -> Option<Refusal> {
        let terms = self.amended(amendment);
        let (opens_at, closes_at) = (terms.opens_at, terms.closes_at);
        let closes_first =
            (opens_at >= closes_at).then_some(Defect::ClosesFirst { opens_at, closes_at });
        let kind = |section: u16| self.hall.sections[usize::from(section)].kind;
        let seated =
            amendment.capacities.iter().filter(|(section, _)| kind(*section) == Kind::Seated);
        let seated = seated.map(|(section, _)| Defect::NotGeneral(*section));
        let defects: Vec<Defect> = closes_first.into_iter().chain(seated).collect();
        if !defects.is_empty() {
            return Some(Refusal::TermsInvalid(defects));
        }
        let put_off = self.hall.terms.opens_at <= at && opens_at > at;
        let (held, sold) = self.state.taken(at);
        let conflict = Conflict { held, sold, ..Conflict::default() };
        (put_off && held + sold > 0).then_some(Refusal::ConflictsWithSales(conflict))
    }

    fn amended(&self, amendment: &Amendment) -> Terms {
        let terms = self.hall.terms.clone();
        let prices = if amendment.prices.is_empty() { &terms.prices } else { &amendment.prices };
        Terms {
            opens_at: amendment.opens_at.unwrap_or(terms.opens_at),
            closes_at: amendment.closes_at.unwrap_or(terms.closes_at),
            paused: terms.paused,
            hold_ttl: amendment.hold_ttl.unwrap_or(terms.hold_ttl),
            limit: amendment.limit.unwrap_or(terms.limit),
            waiting_room: amendment.waiting_room.unwrap_or(terms.waiting_room),
            prices: prices.clone(),
        }
    }

    /// The new terms, unless a section is to be smaller than what is in it.
    fn hear_amendment(
        &mut self,
        question: &Question,
        reply: &Reply,
        amendment: &Amendment,
    ) -> Result<Option<Terms>, Difference> {
        let mut changed = amendment.capacities.clone();
        changed.retain(|(section, capacity)| self.hall.capacity(*section) != *capacity);
        changed.sort_unstable();
        let conflict = match &reply.told {
            Told::Operated(_) => None,
            Told::Refused(Refusal::ConflictsWithSales(conflict)) => Some(conflict),
            Told::Hold(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Order(_)
            | Told::Verdict(_)
            | Told::Refunded(_)
            | Told::Refused(_) => return differ("other terms, or what is in the way", reply),
        };
        if let Some(conflict) = conflict {
            let span = Span { from: question.at, to: reply.as_of };
            return match self.check_capacities(&changed, conflict, span) {
                Ok(()) => Ok(None),
                Err(why) => differ(why, reply),
            };
        }
        for (section, asked) in changed {
            // Nothing is taken while this is decided.
            let (least, _) = self.state.tenures.taken(section, reply.as_of);
            if least > asked {
                return differ(format!("no fewer than {least} places in section {section}"), reply);
            }
            self.hall.resize(section, asked);
            self.rows.resized(section);
        }
        Ok(Some(self.amended(amendment)))
    }

    /// Whether this was in the way: each section that is named had too much in it at some time, each
    /// other one had room at some.
    fn check_capacities(
        &self,
        changed: &[(u16, u32)],
        conflict: &Conflict,
        span: Span,
    ) -> Result<(), String> {
        let tenures = &self.state.tenures;
        let named = |section: u16| conflict.sections.iter().find(|it| it.0 == section);
        for (section, asked) in changed {
            let (least, most) = tenures.taken_during(*section, span);
            let sold_before = tenures.sold_places(*section, span.from);
            let sold_after = tenures.sold_places(*section, span.to);
            let right = match named(*section) {
                None => least <= *asked,
                Some((_, sold, held, said)) => {
                    let taken = sold + held;
                    said == asked
                        && taken > *asked
                        && (least..=most).contains(&taken)
                        && (sold_before..=sold_after).contains(sold)
                }
            };
            if !right {
                return Err(format!(
                    "section {section} with {least} to {most} places taken, {sold_before} to \
                     {sold_after} of them sold"
                ));
            }
        }
        let sum = |of: fn(&(u16, u32, u32, u32)) -> u32| conflict.sections.iter().map(of).sum();
        let sums = Conflict {
            sold: sum(|it| it.1),
            held: sum(|it| it.2),
            asked: sum(|it| it.3),
            seats: vec![],
            sections: conflict.sections.clone(),
        };
        let known = |it: &(u16, u32, u32, u32)| changed.iter().any(|(section, _)| *section == it.0);
        let in_order = conflict.sections.is_sorted_by(|one, other| one.0 < other.0);
        if conflict.sections.is_empty() || !conflict.sections.iter().all(known) || !in_order {
            return Err(format!("some of {changed:?}, in order"));
        }
        if sums == *conflict { Ok(()) } else { Err(format!("{sums:?}")) }
    }

    /// What is held or sold is not blocked; an overdue hold is in nobody's way.
    fn hear_blocks(
        &mut self,
        question: &Question,
        reply: &Reply,
        block: &[u32],
        unblock: &[u32],
    ) -> Result<(), Difference> {
        match &reply.told {
            Told::Operated(_) => {}
            Told::Refused(Refusal::ConflictsWithSales(conflict)) => {
                return self.check_conflict(question, reply, block, unblock, conflict);
            }
            Told::Hold(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Order(_)
            | Told::Verdict(_)
            | Told::Refunded(_)
            | Told::Refused(_) => return differ("blocked seats, or those in the way", reply),
        }
        let in_the_way = |at| block.iter().find(|seat| self.is_held(**seat, at));
        let instants = self.instants(question, reply);
        if instants.into_iter().all(|at| in_the_way(at).is_some()) {
            let seat = in_the_way(question.at);
            return differ(format!("that seat {seat:?} is in the way"), reply);
        }
        for seat in block {
            if self.state.tenures.holder(*seat) != Some(Holder::House) {
                let displaced = self.state.tenures.block(*seat, reply.as_of);
                self.state.over(displaced);
            }
        }
        let mut left = self.left_blocked(question, reply, unblock);
        for seat in unblock.iter().filter(|seat| !left.contains(seat)) {
            self.state.tenures.unblock(*seat, reply.as_of);
        }
        left.extend([block, unblock].concat());
        self.rows.moved(&left);
        Ok(())
    }

    /// A section that had nothing to unblock lets others have the seat while the other sections are
    /// asked. One that was blocked meanwhile may stay so: whoever did that may count as later. How many
    /// did is in the answer, and which in the rows.
    fn left_blocked(&self, question: &Question, reply: &Reply, unblock: &[u32]) -> Vec<u32> {
        let Told::Operated(said) = reply.told else { return Vec::new() };
        let tenures = &self.state.tenures;
        let is_house = |seat: &&u32| tenures.holder(**seat) == Some(Holder::House);
        let (gone, all) = (unblock.iter().filter(is_house).count(), tenures.blocked() as usize);
        let more = (said as usize).saturating_sub(all - gone);
        let meanwhile = unblock.iter().filter(is_house);
        let meanwhile = meanwhile.filter(|seat| tenures.began(**seat) > Some(question.at));
        meanwhile.copied().take(more).collect()
    }

    fn is_held(&self, seat: u32, at: Instant) -> bool {
        matches!(self.state.tenures.owner(seat, at), Some(Holder::Hold(_)))
    }

    /// Whether these seats were in the way: just these at one instant, if one section has them all;
    /// else each that is named at some time, and no other all the while.
    fn check_conflict(
        &self,
        question: &Question,
        reply: &Reply,
        block: &[u32],
        unblock: &[u32],
        conflict: &Conflict,
    ) -> Result<(), Difference> {
        let Conflict { sold, held, asked, seats, sections } = conflict;
        let whole = *asked as usize == block.len() && sections.is_empty() && !seats.is_empty();
        let named = |seat: &u32| seats.contains(seat);
        let in_order = seats.is_sorted_by(|one, other| one < other);
        let counted = (sold + held) as usize == seats.len();
        if !whole || !in_order || !counted || !seats.iter().all(|seat| block.contains(seat)) {
            return differ("some of the seats that were to be blocked, and how many", reply);
        }
        let span = Span { from: question.at, to: reply.as_of };
        let tenures = &self.state.tenures;
        let of = |seats: &[u32], at| {
            seats.iter().filter(|seat| tenures.was_sold(**seat, at)).count() as u32
        };
        let (sold_before, sold_after) = (of(seats, span.from), of(seats, span.to));
        if !(sold_before..=sold_after).contains(sold) {
            return differ(format!("{sold_before} to {sold_after} sold seats"), reply);
        }
        let touched = super::Claim { seats: [block, unblock].concat(), places: vec![] };
        let right = if self.hall.sections_of(&touched).len() == 1 {
            let just_these = |at| block.iter().all(|seat| self.is_held(*seat, at) == named(seat));
            self.instants(question, reply).into_iter().any(just_these)
        } else {
            block.iter().all(|seat| match named(seat) {
                true => tenures.may_be_held(*seat, span),
                false => !tenures.is_surely_held(*seat, span),
            })
        };
        if right { Ok(()) } else { differ("the seats that were in the way, all of them", reply) }
    }
}
