//! Chance from a seed.

/// splitmix64: a seed replays the run on any machine, whatever becomes of `rand`.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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
