//! Where the seats of each section lie: built once with the plan, shared by whoever chooses seats.

use std::sync::Arc;

use super::{SectionKind, SectionPlan};
use crate::seating::{Seating, Spot, Stage};

/// One seating a section, none for general ones.
pub(super) fn rooms(sections: &[SectionPlan], spots: &[Spot]) -> Box<[Option<Arc<Seating>>]> {
    let of_section = |section: &SectionPlan| match section.kind {
        SectionKind::Seated { first, seats } => {
            let first = first.0 as usize;
            spots.get(first..first + seats as usize)
        }
        SectionKind::General { .. } => None,
    };
    let seated = sections.iter().filter_map(of_section);
    let stage = Stage::of_plan(focus(spots), seated);
    let seating = |spots| Arc::new(Seating::new(spots, stage));
    sections.iter().map(|section| of_section(section).map(seating)).collect()
}

/// Where everybody looks. Plans that the server lays out go round the origin. Others are drawn on a
/// sheet whose corner is the origin, and do not say where the stage is: it is taken to be at the top,
/// in the middle, where drawings of halls have it.
fn focus(spots: &[Spot]) -> (f32, f32) {
    let far = (f32::INFINITY, f32::NEG_INFINITY);
    let bounds = |at: fn(&Spot) -> f32| {
        spots.iter().map(at).fold(far, |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (bounds(|spot| spot.x), bounds(|spot| spot.y));
    let around = |low: f32, high: f32| low <= 0.0 && high >= 0.0;
    if spots.is_empty() || (around(left, right) && around(top, bottom)) {
        return (0.0, 0.0);
    }
    ((left + right) / 2.0, top)
}
