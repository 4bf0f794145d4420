//! Chance from a seed.

use crate::splitmix;

/// A seed replays the run on any machine.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    /// 0 to `sides` - 1.
    pub(super) fn roll(&mut self, sides: u32) -> u32 {
        u32::try_from(self.next() % u64::from(sides)).expect("less than a u32")
    }

    /// One time in `sides`.
    pub(super) fn one_in(&mut self, sides: u32) -> bool {
        self.roll(sides) == 0
    }

    /// One of these; there is one.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let count = u32::try_from(of.len()).expect("a short list");
        &of[self.roll(count) as usize]
    }

    /// The seed of another run.
    pub(super) fn seed(&mut self) -> u64 {
        self.next()
    }
}
