//! Who the half million are, each drawn from the seed and his number, so that nobody is remembered for it.

use super::Plan;
use super::tricks::Trick;
use crate::splitmix;

/// What somebody is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Person {
    /// Joins once the sale is open.
    pub(super) is_late: bool,
    /// Goes away from the screen, and is not there when called.
    pub(super) is_absent: bool,
    /// Gives the place up, before the draw or after it.
    pub(super) leaves: Leaves,
    /// Looks at his place once it is drawn, instead of computing it.
    pub(super) looks: bool,
    /// Plays this trick.
    pub(super) trick: Option<Trick>,
}

/// When somebody gives the place up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    Never,
    BeforeTheDraw,
    AfterTheDraw,
}

/// A stream of choices: the same for the same seed, number and purpose.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(seed: u64, buyer: u32, purpose: u64) -> Self {
        Self(splitmix::mix(seed ^ splitmix::mix(u64::from(buyer) << 8 | purpose)))
    }

    pub(super) fn number(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    /// Whether what happens to so many in a thousand happens.
    pub(super) fn of_thousand(&mut self, many: u64) -> bool {
        self.number() % 1_000 < many
    }
}

impl Person {
    pub(super) fn of(plan: &Plan, buyer: u32) -> Self {
        let trick = Trick::of(plan.buyers, buyer);
        if trick.is_some() {
            let is_late = trick == Some(Trick::RacesTheOpening);
            let leaves = Leaves::Never;
            return Self { is_late, is_absent: false, leaves, looks: true, trick };
        }
        let mut dice = Dice::of(plan.seed, buyer, 0);
        let is_late = dice.of_thousand(40);
        let is_absent = dice.of_thousand(60);
        let looks = dice.of_thousand(20);
        let leaves = match dice.number() % 100 {
            0 if !is_late => Leaves::BeforeTheDraw,
            1 => Leaves::AfterTheDraw,
            _ => Leaves::Never,
        };
        Self { is_late, is_absent, leaves, looks, trick }
    }
}
