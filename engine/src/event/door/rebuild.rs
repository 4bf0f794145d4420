//! An owner's start: the door and its sections, made from rows.

mod sections;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::Door;
use super::errands::Errands;
use super::quarantine::{Quarantine, freezes};
use crate::event::availability::Map;
use crate::event::book::Book;
use crate::event::lane::Lane;
use crate::event::line::Lines;
use crate::event::receipts::Receipts;
use crate::event::snapshot::Snapshot;
use crate::event::terms::{Amendment, Limits, Terms};
use crate::id::SectionIndex;
use crate::plan::SectionKind;
use crate::section::{Breach, SeatState, Window};

impl<R> Door<R> {
    /// The door and the sections of an event whose rows say this.
    ///
    /// # Errors
    /// As [`Door::rebuild_apart`].
    pub fn rebuild(
        terms: Terms,
        limits: Limits,
        snapshot: Snapshot,
    ) -> Result<(Self, Vec<Window>), Breach> {
        Self::rebuild_apart(terms, limits, snapshot, Quarantine::new())
    }

    /// The same, with some sections kept apart, and any more whose rows contradict each other.
    ///
    /// # Errors
    /// [`Breach`] if the rows contradict each other in what belongs to no section; such an event must
    /// not be sold.
    pub fn rebuild_apart(
        terms: Terms,
        limits: Limits,
        snapshot: Snapshot,
        mut quarantine: Quarantine,
    ) -> Result<(Self, Vec<Window>), Breach> {
        let terms = amended(&terms, &snapshot.amendment)?;
        let sections = sections::restore(&terms.plan, &snapshot, &mut quarantine)?;
        let lane = Lane::new(terms.event, snapshot.epoch, snapshot.sequence, limits.batch_max);
        let map = Map::new(&terms.plan, snapshot.sequence, &snapshot.seats, &snapshot.places);
        let mut book = Book::new(Arc::clone(&terms.plan));
        for (section, places) in &snapshot.places {
            book.restore_places(*section, *places);
        }
        for (seat, _) in &snapshot.seats {
            book.restore_seat(*seat);
        }
        let blocked = |(_, state): &&(_, SeatState)| *state == SeatState::Blocked;
        let blocked = snapshot.seats.iter().filter(blocked).count();
        book.restore_blocked(u32::try_from(blocked).expect("a plan's seats fit"));
        for hold in snapshot.holds {
            let frozen = freezes(&quarantine, &hold.claim, &terms.plan);
            book.restore_hold(hold, frozen);
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
            quarantine,
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

fn breach(what: String) -> Breach {
    Breach { what }
}
