//! What is set against distance, and for how much. These five are judgements, not measurements.
//!
//! One sum instead of an order of criteria: the choice with the least sum is the same whichever
//! other seats are free, a nearest-first search can end early, and sections can be compared.

/// Distances are whole numbers of this fraction of a seat, so that sums are exact and equal seats
/// equal.
pub(super) const UNITS_A_SEAT: u32 = 256;

/// Farther than any hall is wide, and small enough to be added up.
pub(super) const FAR: u32 = 1 << 30;

/// Leaving one more single seat is as bad as sitting so many seats farther off: five rows, as plans
/// without geometry are laid out. So a choice leaves none that another one within that detour would
/// not leave, and nobody is sent from the first row to the last to save the house a seat.
pub const ORPHAN: u32 = 6;

/// Giving away one accessible seat more than was asked for is as bad as sitting so many seats
/// farther off. There are few of them, and they cannot be replaced by others.
pub const SPARE_ACCESSIBLE: u32 = 6;

/// One of a split party sitting alone is as bad as the whole party sitting so many seats farther off.
pub const ALONE: u32 = 6;

/// The farthest part of a split party lying one seat farther from its largest is as bad as the whole
/// party sitting so many seats farther off: who must be split wants to be close rather than in front.
pub const APART: u32 = 2;

/// A part in another row counts as so many seats farther from the largest: the row behind is farther
/// than two seats beyond a neighbour, and nearer than the other end of the row.
pub const ANOTHER_ROW: u32 = 2;

/// What a choice costs, in the order of what matters. Less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    /// Distances and what is set against them, summed over the seats.
    pub(super) sum: u64,
    /// Between two of the same sum, the one that leaves fewer.
    pub(super) orphans: u32,
    /// Then the lowest first place, so that there is no tie.
    pub(super) first: u32,
}

/// What a choice has against it beside its distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drawbacks {
    pub(super) orphans: u32,
    /// All accessible seats in it, if one was asked for; else none.
    pub(super) accessible: u32,
    /// Parts of one seat, if the party is split.
    pub(super) alone: u32,
    /// From the largest part to the farthest, in units.
    pub(super) apart: u32,
}

impl Cost {
    /// Of `quantity` seats with this sum of distances.
    pub(super) fn new(distances: u64, quantity: u32, against: Drawbacks, first: u32) -> Self {
        let Drawbacks { orphans, accessible, alone, apart } = against;
        let spare = accessible.saturating_sub(1);
        let seats = orphans * ORPHAN + spare * SPARE_ACCESSIBLE + alone * ALONE;
        let units =
            u64::from(seats) * u64::from(UNITS_A_SEAT) + u64::from(apart) * u64::from(APART);
        Self { sum: distances + u64::from(quantity) * units, orphans, first }
    }
}

/// The mean of `quantity` distances, in seats.
pub(super) fn in_seats(distances: u64, quantity: u32) -> f32 {
    (distances as f64 / f64::from(quantity) / f64::from(UNITS_A_SEAT)) as f32
}

/// So many seats in units; what is no number is far.
pub(super) fn in_units(seats: f64) -> u32 {
    let units = (seats * f64::from(UNITS_A_SEAT)).round();
    if units.is_nan() { FAR } else { (units as u32).min(FAR) }
}
