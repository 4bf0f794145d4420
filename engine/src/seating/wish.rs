//! What a buyer may leave to us, and what he gets and why.

use std::sync::Arc;

/// Seats that somebody wants without naming them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceWish {
    /// How many; none are never found. The caller bounds it by what a buyer may have.
    pub quantity: u32,
    /// Only seats of this price class.
    pub tier: Option<u16>,
    /// Side by side or not at all.
    pub adjacent: bool,
    /// At least one accessible seat, the others beside it. Without this no accessible seat is given.
    pub accessible: bool,
}

/// Seats that were chosen. Nothing is taken yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// As many as were wanted, by their index in the section, in the order in which people sit; of a
    /// split party part by part, the one nearest to the front first.
    pub places: Vec<u32>,
    /// The row of the first of them.
    pub row: Arc<str>,
    /// The mean over the seats of how far they lie from front and centre, in seats: see
    /// [`Stage`](super::Stage).
    pub distance: f32,
    /// Whether they are not all side by side.
    pub split: bool,
    /// How many free seats are left alone by this choice: with neither neighbour free, of whatever
    /// tier, where before it there was one.
    pub orphans: u32,
    /// Why these.
    pub reason: Reason,
}

/// Why a choice fell as it did, for the buyer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The nearest single seat.
    Nearest,
    /// The nearest seats side by side.
    NearestTogether,
    /// Nearer ones were free, but would have left more single seats that nobody buys.
    AvoidsSingleSeats,
    /// The best with an accessible seat among them.
    Accessible,
    /// So many were nowhere free side by side.
    SplitNoRunFree,
}

impl Reason {
    /// The reason of this name.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let all = [
            Self::Nearest,
            Self::NearestTogether,
            Self::AvoidsSingleSeats,
            Self::Accessible,
            Self::SplitNoRunFree,
        ];
        all.into_iter().find(|reason| reason.code() == code)
    }

    /// The reason as answers name it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::NearestTogether => "nearest-together",
            Self::AvoidsSingleSeats => "avoids-single-seats",
            Self::Accessible => "accessible",
            Self::SplitNoRunFree => "split-no-run-free",
        }
    }
}
