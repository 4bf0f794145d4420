//! Free seats side by side, and the single ones that a choice leaves among them.

use std::ops::Range;

use super::{Chair, ChoiceWish, Seating, Stretch};

/// Chairs side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Those that the wish may have.
    pub(super) fit: Range<u32>,
    /// All free ones around them, of whatever kind: what is left of these may be left alone.
    pub(super) free: Range<u32>,
    /// Its row's index.
    pub(super) row: u32,
}

/// Every longest run of the stretch.
pub(super) fn each(
    seating: &Seating,
    stretch: &Stretch,
    wish: &ChoiceWish,
    taken: &impl Fn(u32) -> bool,
    mut visit: impl FnMut(Run),
) {
    let chairs = seating.chairs(&stretch.chairs());
    let fits = |chair: &Chair| {
        wish.tier.is_none_or(|tier| tier == chair.tier) && (wish.accessible || !chair.accessible)
    };
    spans(
        chairs,
        |chair| !taken(chair.place),
        |free| {
            spans(&chairs[free.start..free.end], fits, |fit| {
                let from = stretch.start + free.start as u32;
                let free = from..stretch.start + free.end as u32;
                visit(Run {
                    fit: from + fit.start as u32..from + fit.end as u32,
                    free,
                    row: stretch.row,
                });
            });
        },
    );
}

/// Every longest span of chairs that pass.
fn spans(chairs: &[Chair], pass: impl Fn(&Chair) -> bool, mut visit: impl FnMut(Range<usize>)) {
    let mut start = None;
    for (at, chair) in chairs.iter().enumerate() {
        if pass(chair) {
            start.get_or_insert(at);
        } else if let Some(start) = start.take() {
            visit(start..at);
        }
    }
    if let Some(start) = start {
        visit(start..chairs.len());
    }
}

/// How many single seats are left when these are taken, `fit` of each: they are in the order of
/// chairs, and do not overlap.
pub(super) fn orphans(parts: &[Run]) -> u32 {
    let mut orphans = 0;
    for (at, part) in parts.iter().enumerate() {
        let is_beside = |other: &&Run| other.free == part.free;
        let before = at.checked_sub(1).map(|before| &parts[before]).filter(is_beside);
        let after = parts.get(at + 1).filter(is_beside);
        let left = part.fit.start - before.map_or(part.free.start, |before| before.fit.end);
        // What lies between two parts is the second's left.
        let right = if after.is_some() { 0 } else { part.free.end - part.fit.end };
        orphans += u32::from(left == 1) + u32::from(right == 1);
    }
    orphans
}
