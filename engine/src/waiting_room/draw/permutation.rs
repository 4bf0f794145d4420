//! A keyed permutation of the numbers below a size: no table, no sort, and either way in microseconds.
//!
//! A Feistel network over the smallest power of two that holds all numbers, with SHA-256 as the round's
//! function; what falls outside goes through it again until it falls inside (cycle walking: J. Black and
//! P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).

use sha2::{Digest, Sha256};

/// Four would do for large halves; halves of a few bits want more to be mixed.
const ROUNDS: u8 = 10;
/// So that either half has bits enough: smaller sizes walk longer instead.
const BITS_MIN: u32 = 8;

/// The permutation of a key and a size.
#[derive(Clone, Debug)]
pub struct Permutation {
    key: [u8; 32],
    size: u32,
    /// Bits of the lower half.
    low: u32,
    /// Bits of the upper half: as many, or one more.
    high: u32,
}

impl Permutation {
    /// Of the numbers below `size`.
    #[must_use]
    pub fn new(key: [u8; 32], size: u32) -> Self {
        let bits = (u32::BITS - size.saturating_sub(1).leading_zeros()).max(BITS_MIN);
        let low = bits / 2;
        Self { key, size, low, high: bits - low }
    }

    /// How many numbers there are.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Where this number goes.
    ///
    /// # Panics
    /// If it is not below the size.
    #[must_use]
    pub fn apply(&self, number: u32) -> u32 {
        self.walk(number, |it| (0..ROUNDS).fold(it, |it, round| self.round(round, it)))
    }

    /// Which number goes there.
    ///
    /// # Panics
    /// If it is not below the size.
    #[must_use]
    pub fn invert(&self, number: u32) -> u32 {
        self.walk(number, |it| (0..ROUNDS).rev().fold(it, |it, round| self.round(round, it)))
    }

    /// On from a number inside until the next one inside, which there is: the number itself at last.
    fn walk(&self, number: u32, step: impl Fn(u32) -> u32) -> u32 {
        assert!(number < self.size, "{number} is not below {}", self.size);
        let mut at = step(number);
        while at >= self.size {
            at = step(at);
        }
        at
    }

    /// Even rounds change the lower half by the upper one, odd ones the reverse; each undoes itself.
    fn round(&self, round: u8, number: u32) -> u32 {
        let (low, high) = (number & mask(self.low), number >> self.low);
        if round.is_multiple_of(2) {
            (high << self.low) | (low ^ (self.hash(round, high) & mask(self.low)))
        } else {
            ((high ^ (self.hash(round, low) & mask(self.high))) << self.low) | low
        }
    }

    /// The first four bytes of the SHA-256 of key, round and half: one block.
    fn hash(&self, round: u8, half: u32) -> u32 {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update([round]);
        hash.update(half.to_be_bytes());
        let hash = hash.finalize();
        u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
    }
}

/// So many ones, 16 at most.
fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}
