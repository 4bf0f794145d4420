//! Where the seats of each section lie: built once with the plan, shared by whoever chooses seats.

use std::sync::Arc;

use super::{SeatPlan, SectionKind, SectionPlan};
use crate::seating::{Seating, Spot, Stage};

/// One seating a section, none for general ones.
pub(super) fn rooms(sections: &[SectionPlan], seats: &[SeatPlan]) -> Vec<Option<Arc<Seating>>> {
    let spots: Vec<Spot<'_>> = seats.iter().map(spot).collect();
    let of_section = |section: &SectionPlan| match section.kind {
        SectionKind::Seated { first, seats } => {
            let first = first.0 as usize;
            spots.get(first..first + seats as usize)
        }
        SectionKind::General { .. } => None,
    };
    let seated = sections.iter().filter_map(of_section);
    let stage = Stage::of_plan(focus(seats), seated);
    let seating = |spots| Arc::new(Seating::new(spots, stage));
    sections.iter().map(|section| of_section(section).map(seating)).collect()
}

fn spot(seat: &SeatPlan) -> Spot<'_> {
    let SeatPlan { row, x, y, tier, accessible, .. } = seat;
    Spot { row, x: *x, y: *y, tier: *tier, accessible: *accessible }
}

/// Where everybody looks. Plans that the server lays out go round the origin. Others are drawn on a
/// sheet whose corner is the origin, and do not say where the stage is: it is taken to be at the top,
/// in the middle, where drawings of halls have it.
fn focus(seats: &[SeatPlan]) -> (f32, f32) {
    let far = (f32::INFINITY, f32::NEG_INFINITY);
    let bounds = |at: fn(&SeatPlan) -> f32| {
        seats.iter().map(at).fold(far, |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (bounds(|seat| seat.x), bounds(|seat| seat.y));
    let around = |low: f32, high: f32| low <= 0.0 && high >= 0.0;
    if seats.is_empty() || (around(left, right) && around(top, bottom)) {
        return (0.0, 0.0);
    }
    ((left + right) / 2.0, top)
}
