//! An owner's start: the door and its sections, made from rows.

mod sections;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::Door;
use super::errands::Errands;
use super::quarantine::{Quarantine, freezes};
use super::sweep::Sweep;
use super::terms_gate::TermsGate;
use crate::buyer::BuyerId;
use crate::event::availability::Map;
use crate::event::book::Book;
use crate::event::churn::Churn;
use crate::event::lane::Lane;
use crate::event::limits::Limits;
use crate::event::line::Lines;
use crate::event::receipts::Receipts;
use crate::event::snapshot::Snapshot;
use crate::event::terms::{Amendment, Terms};
use crate::id::SectionIndex;
use crate::plan::{Plan, SectionKind};
use crate::section::{Breach, Window};

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
        let decided_at = snapshot.decided_at;
        let receipts = remembered(&snapshot);
        let book = written(&terms.plan, snapshot, &quarantine)?;
        check_receipts(&receipts, &book)?;
        let door = Self {
            now: decided_at,
            forgot_at: decided_at,
            terms,
            limits,
            book,
            receipts,
            lane,
            quarantine,
            churn: Churn::new(limits.hold_churn, decided_at),
            map,
            lines: Lines::default(),
            undecided: HashMap::new(),
            errands: Errands::default(),
            room_wanted: HashMap::new(),
            sweep: Sweep::default(),
            site_paused: None,
            terms_gate: TermsGate::default(),
            effects: VecDeque::new(),
        };
        Ok((door, sections.into_iter().map(Window::new).collect()))
    }
}

/// Holds, orders and counts as the rows have them, each buyer's with what the holds come to.
fn written(plan: &Arc<Plan>, snapshot: Snapshot, quarantine: &Quarantine) -> Result<Book, Breach> {
    let mut book = Book::new(Arc::clone(plan));
    for (section, places) in snapshot.places {
        book.stock_mut().restore_places(section, places);
    }
    for (seat, state) in snapshot.seats {
        book.stock_mut().restore_seat(seat, state);
    }
    for hold in snapshot.holds {
        let frozen = freezes(quarantine, &hold.claim, plan);
        book.restore_hold(hold, frozen);
    }
    for order in snapshot.orders {
        if book.hold(order.hold).is_none() {
            return Err(breach(format!("{:?} is without its {:?}", order.id, order.hold)));
        }
        book.restore_order(order);
    }
    let counted: HashMap<BuyerId, u32> = snapshot.buyers.into_iter().collect();
    if let Some(buyer) = book.buyers().find(|buyer| !counted.contains_key(*buyer)) {
        let held = book.seats(buyer);
        return Err(breach(format!("buyer {buyer} holds {held} seats, but is not counted")));
    }
    for (buyer, seats) in &counted {
        let held = book.seats(buyer);
        let owned = seats.checked_sub(held).ok_or_else(|| {
            breach(format!("buyer {buyer} holds {held} seats, but counts {seats}"))
        })?;
        book.restore_owned(buyer, owned);
    }
    Ok(book)
}

fn remembered(snapshot: &Snapshot) -> Receipts {
    let mut receipts = Receipts::default();
    snapshot.receipts.iter().for_each(|receipt| receipts.remember_order(receipt.clone()));
    receipts
}

/// A key that stands for an order must find it.
fn check_receipts(receipts: &Receipts, book: &Book) -> Result<(), Breach> {
    let lost = receipts.orders().into_iter().find(|order| book.order(*order).is_none());
    lost.map_or(Ok(()), |order| {
        Err(breach(format!("a key stands for {order:?}, which is not there")))
    })
}

/// The terms as the rows have them; a tier or section that the plan lacks is a breach.
fn amended(terms: &Terms, amendment: &Amendment) -> Result<Terms, Breach> {
    let tiers = terms.plan.tiers().len();
    if let Some((tier, _)) = amendment.prices.iter().find(|(tier, _)| usize::from(*tier) >= tiers) {
        return Err(breach(format!("tier {tier} is not in the plan")));
    }
    let not_general = |(section, _): &&(SectionIndex, u32)| !is_general(&terms.plan, *section);
    if let Some((section, _)) = amendment.capacities.iter().find(not_general) {
        return Err(breach(format!("{section:?} is no general section of the plan")));
    }
    Ok(terms.amended(amendment))
}

fn is_general(plan: &Plan, index: SectionIndex) -> bool {
    let section = plan.sections().get(usize::from(index.0));
    section.is_some_and(|section| matches!(section.kind, SectionKind::General { .. }))
}

fn breach(what: String) -> Breach {
    Breach { what }
}
