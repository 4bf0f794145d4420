//! An owner's start: the door and its sections, made from rows.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::Door;
use super::errands::Errands;
use crate::event::availability::Map;
use crate::event::book::Book;
use crate::event::lane::Lane;
use crate::event::line::Lines;
use crate::event::receipts::Receipts;
use crate::event::snapshot::Snapshot;
use crate::event::terms::{Amendment, Limits, Terms};
use crate::hold::{Hold, HoldStatus, Portion};
use crate::id::{SeatIndex, SectionIndex};
use crate::plan::{Plan, SectionKind};
use crate::section::{Breach, SeatState, Section, Window};

impl<R> Door<R> {
    /// The door and the sections of an event whose rows say this.
    ///
    /// # Errors
    /// [`Breach`] if the rows contradict each other; such an event must not be sold.
    pub fn rebuild(
        terms: Terms,
        limits: Limits,
        snapshot: Snapshot,
    ) -> Result<(Self, Vec<Window>), Breach> {
        let terms = amended(&terms, &snapshot.amendment)?;
        let sections = sections(&terms.plan, &snapshot)?;
        let lane = Lane::new(terms.event, snapshot.epoch, snapshot.sequence, limits.batch_max);
        let map = Map::new(&terms.plan, snapshot.sequence, &snapshot.seats, &snapshot.places);
        let mut book = Book::new(Arc::clone(&terms.plan));
        for (section, places) in &snapshot.places {
            book.restore_places(*section, *places);
        }
        let blocked = |(_, state): &&(_, SeatState)| *state == SeatState::Blocked;
        let blocked = snapshot.seats.iter().filter(blocked).count();
        book.restore_blocked(u32::try_from(blocked).expect("a plan's seats fit"));
        for hold in snapshot.holds {
            book.restore_hold(hold);
        }
        for order in snapshot.orders {
            if book.hold(order.hold).is_none() {
                return Err(breach(format!("{:?} is without its {:?}", order.id, order.hold)));
            }
            book.restore_order(order);
        }
        for (buyer, seats) in &snapshot.buyers {
            let held = book.seats(buyer);
            let owned = seats.checked_sub(held).ok_or_else(|| {
                breach(format!("buyer {buyer} holds {held} seats, but counts {seats}"))
            })?;
            book.restore_owned(buyer, owned);
        }
        let mut receipts = Receipts::default();
        snapshot.receipts.into_iter().for_each(|receipt| receipts.remember_order(receipt));
        let door = Self {
            now: snapshot.decided_at,
            forgot_at: snapshot.decided_at,
            terms,
            limits,
            book,
            receipts,
            lane,
            map,
            lines: Lines::default(),
            undecided: HashMap::new(),
            errands: Errands::default(),
            room_wanted: HashMap::new(),
            sweeping: HashSet::new(),
            site_paused: None,
            operations: VecDeque::new(),
            amending: false,
            parked: VecDeque::new(),
            effects: VecDeque::new(),
        };
        Ok((door, sections.into_iter().map(Window::new).collect()))
    }
}

/// The terms as the rows have them; a tier or section that the plan lacks is a breach.
fn amended(terms: &Terms, amendment: &Amendment) -> Result<Terms, Breach> {
    let tiers = terms.plan.tiers().len();
    if let Some((tier, _)) = amendment.prices.iter().find(|(tier, _)| usize::from(*tier) >= tiers) {
        return Err(breach(format!("tier {tier} is not in the plan")));
    }
    let general = |(section, _): &&(SectionIndex, u32)| {
        let section = terms.plan.sections().get(usize::from(section.0));
        section.is_some_and(|it| matches!(it.kind, SectionKind::General { .. }))
    };
    if let Some((section, _)) = amendment.capacities.iter().find(|capacity| !general(capacity)) {
        return Err(breach(format!("{section:?} is no general section of the plan")));
    }
    Ok(terms.amended(amendment))
}

fn sections(plan: &Plan, snapshot: &Snapshot) -> Result<Vec<Section>, Breach> {
    let mut sections: Vec<Section> = (0..)
        .zip(plan.sections())
        .map(|(index, section)| Section::new(SectionIndex(index), section.kind))
        .collect();
    let mut held_seats = 0;
    for (seat, state) in &snapshot.seats {
        if seat.0 as usize >= plan.seats().len() {
            return Err(breach(format!("{seat:?} is not in the plan")));
        }
        held_seats += usize::from(matches!(state, SeatState::Held(_)));
        sections[usize::from(plan.seat(*seat).section.0)].restore_seat(*seat, *state)?;
    }
    let mut held_places = vec![0; sections.len()];
    for (section, places) in &snapshot.places {
        find(&mut sections, *section)?.restore_sold(places.sold)?;
        held_places[usize::from(section.0)] = places.held;
    }
    for hold in &snapshot.holds {
        check_claim(plan, hold)?;
        if hold.status != HoldStatus::Active {
            continue;
        }
        for (index, portion) in hold.claim.portions(plan) {
            let section = usize::from(index.0);
            match &portion {
                Portion::Seats(seats) => held_seats -= seats.len().min(held_seats),
                Portion::Places(quantity) => {
                    held_places[section] =
                        held_places[section].checked_sub(*quantity).ok_or_else(|| {
                            breach(format!("{:?} has more places than are held", hold.id))
                        })?;
                }
            }
            sections[section].restore_hold(hold.id, portion, hold.expires_at)?;
        }
    }
    if held_seats > 0 {
        return Err(breach(format!("{held_seats} held seats have no active hold")));
    }
    let general = |section: &SectionKind| matches!(section, SectionKind::General { .. });
    for (section, left) in plan.sections().iter().zip(held_places) {
        if left > 0 && general(&section.kind) {
            return Err(breach(format!("{left} held places of {} have no hold", section.name)));
        }
    }
    Ok(sections)
}

/// Whether the plan has what the hold takes.
fn check_claim(plan: &Plan, hold: &Hold) -> Result<(), Breach> {
    let has_seat = |seat: &SeatIndex| (seat.0 as usize) < plan.seats().len();
    let has_places = |(section, _): &(SectionIndex, u32)| {
        let section = plan.sections().get(usize::from(section.0));
        section.is_some_and(|section| matches!(section.kind, SectionKind::General { .. }))
    };
    if hold.claim.seats.iter().all(has_seat) && hold.claim.places.iter().all(has_places) {
        return Ok(());
    }
    Err(breach(format!("{:?} takes what the plan does not have", hold.id)))
}

fn find(sections: &mut [Section], index: SectionIndex) -> Result<&mut Section, Breach> {
    let unknown = || breach(format!("{index:?} is not in the plan"));
    sections.get_mut(usize::from(index.0)).ok_or_else(unknown)
}

fn breach(what: String) -> Breach {
    Breach { what }
}
