//! The sections of a rebuilt event, each made from its rows. One whose rows contradict each other is
//! kept apart, alone; rows that speak of what the plan does not have condemn the whole event.

use super::{breach, is_general};
use crate::event::door::quarantine::{Quarantine, freezes};
use crate::event::snapshot::Snapshot;
use crate::hold::{Hold, HoldStatus, Portion};
use crate::id::SectionIndex;
use crate::plan::Plan;
use crate::section::{Breach, SeatState, Section};

/// The sections, with those that are to be kept apart added to the quarantine.
pub(super) fn restore(
    plan: &Plan,
    snapshot: &Snapshot,
    quarantine: &mut Quarantine,
) -> Result<Vec<Section>, Breach> {
    let indexes = (0..).map(SectionIndex).take(plan.sections().len());
    let mut rows = Rows {
        sections: indexes.map(|index| Section::new(plan, index)).collect(),
        held: vec![0; plan.sections().len()],
        quarantine,
    };
    for (seat, state) in &snapshot.seats {
        if seat.0 as usize >= plan.seats().len() {
            return Err(breach(format!("{seat:?} is not in the plan")));
        }
        let index = plan.seat(*seat).section;
        *rows.held(index) += u32::from(matches!(state, SeatState::Held(_)));
        let restored = rows.section(index).restore_seat(*seat, *state);
        rows.keep_apart_unless(restored, index);
    }
    for (index, places) in &snapshot.places {
        if !is_general(plan, *index) {
            return Err(breach(format!("{index:?} is no general section of the plan")));
        }
        *rows.held(*index) = places.held;
        let restored = rows.section(*index).restore_sold(places.sold);
        rows.keep_apart_unless(restored, *index);
    }
    for hold in &snapshot.holds {
        check_claim(plan, hold)?;
        if hold.status == HoldStatus::Active {
            rows.restore_hold(plan, hold);
        }
    }
    rows.finish(plan, snapshot)
}

struct Rows<'a> {
    sections: Vec<Section>,
    /// Seats and places that rows call held, and no hold has claimed yet.
    held: Vec<u32>,
    quarantine: &'a mut Quarantine,
}

impl Rows<'_> {
    fn section(&mut self, index: SectionIndex) -> &mut Section {
        &mut self.sections[usize::from(index.0)]
    }

    fn held(&mut self, index: SectionIndex) -> &mut u32 {
        &mut self.held[usize::from(index.0)]
    }

    fn keep_apart_unless(&mut self, restored: Result<(), Breach>, index: SectionIndex) {
        if let Err(Breach { what }) = restored {
            self.quarantine.entry(index).or_insert(what);
        }
    }

    fn restore_hold(&mut self, plan: &Plan, hold: &Hold) {
        for (index, portion) in hold.claim.portions(plan) {
            let held = self.held(index);
            let left = held.checked_sub(portion.quantity());
            *held = left.unwrap_or(0);
            let counted = left.map(drop).ok_or_else(|| match &portion {
                Portion::Seats(_) => breach(format!("{:?} has more seats than are held", hold.id)),
                Portion::Places(_) => {
                    breach(format!("{:?} has more places than are held", hold.id))
                }
            });
            self.keep_apart_unless(counted, index);
            let restored = self.section(index).restore_hold(hold.id, portion, hold.expires_at);
            self.keep_apart_unless(restored, index);
        }
    }

    /// Held without a hold is nobody's; and what a hold has in a section kept apart keeps its other
    /// sections from ending it.
    fn finish(mut self, plan: &Plan, snapshot: &Snapshot) -> Result<Vec<Section>, Breach> {
        for (index, left) in (0..).map(SectionIndex).zip(self.held.clone()) {
            let counted = match left {
                0 => Ok(()),
                left => Err(breach(format!("{left} held seats or places have no active hold"))),
            };
            self.keep_apart_unless(counted, index);
        }
        let active = snapshot.holds.iter().filter(|hold| hold.status == HoldStatus::Active);
        for hold in active {
            if freezes(self.quarantine, &hold.claim, plan) {
                for index in hold.claim.sections(plan) {
                    self.section(index).freeze(hold.id);
                }
            }
        }
        Ok(self.sections)
    }
}

/// Whether the plan has what the hold takes.
fn check_claim(plan: &Plan, hold: &Hold) -> Result<(), Breach> {
    if hold.claim.fits(plan) {
        return Ok(());
    }
    Err(breach(format!("{:?} takes what the plan does not have", hold.id)))
}
