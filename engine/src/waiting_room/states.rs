//! What became of each number: a byte, read by anybody at any moment without a lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// Numbers in a piece.
const PIECE: usize = 1 << 16;
/// So many pieces hold 2^24 numbers, more than a room takes.
const PIECES: usize = 256;

/// What became of a place in the line, as it is written. That a call was not followed in time follows from the
/// clock, and is written nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum PlaceState {
    /// It is in the line.
    #[default]
    InLine = 0,
    /// Its buyer was called, and came.
    Came = 1,
    /// Its buyer gave it up.
    Left = 2,
    /// Its buyer came and has bought since: he no longer counts among those inside.
    Bought = 3,
}

impl PlaceState {
    fn of(byte: u8) -> Self {
        match byte {
            1 => Self::Came,
            2 => Self::Left,
            3 => Self::Bought,
            _ => Self::InLine,
        }
    }
}

/// The states of a room's numbers.
#[derive(Debug)]
pub struct States(Box<[OnceLock<Box<[AtomicU8]>>]>);

impl Default for States {
    fn default() -> Self {
        Self((0..PIECES).map(|_| OnceLock::new()).collect())
    }
}

impl States {
    /// What is written of this number; [`PlaceState::InLine`] of one that nobody has.
    #[must_use]
    pub fn of(&self, number: u32) -> PlaceState {
        let piece = self.0.get(number as usize / PIECE).and_then(OnceLock::get);
        piece.map_or(PlaceState::InLine, |piece| {
            PlaceState::of(piece[number as usize % PIECE].load(Ordering::Acquire))
        })
    }

    /// Writes it.
    ///
    /// # Panics
    /// Beyond 2^24 numbers, which no room has.
    pub fn set(&self, number: u32, state: PlaceState) {
        let new = || (0..PIECE).map(|_| AtomicU8::new(0)).collect();
        let piece = self.0[number as usize / PIECE].get_or_init(new);
        piece[number as usize % PIECE].store(state as u8, Ordering::Release);
    }
}
