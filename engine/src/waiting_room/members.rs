//! Which number each buyer has: written by the room's owner, read by anybody at any moment without a lock.
//!
//! A table in pieces, each twice as large as the one before it. A piece is filled to three quarters and then
//! left alone, so nothing ever moves: no pause while the room grows, and no reader sees half a move. Where a
//! ticket's entry begins to be looked for follows from its id, which nobody can choose without the room's
//! salt. An entry takes 16 bytes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::id::QueueTicketId;

/// Entries of the first piece.
const FIRST: usize = 1 << 12;
/// So many pieces hold 2^30 numbers.
const PIECES: usize = 18;
/// The bits of an entry's second word that hold its number and one; the rest is of its ticket.
const NUMBER_BITS: u32 = 40;

/// The numbers of a room's tickets.
#[derive(Debug, Default)]
pub struct Members {
    pieces: [OnceLock<Piece>; PIECES],
}

/// What the writer alone knows of the table.
#[derive(Debug, Default)]
pub struct MembersWriter {
    /// The piece that is being filled, and how many entries it has.
    piece: usize,
    filled: usize,
}

#[derive(Debug)]
struct Piece(Box<[Entry]>);

/// The second word is written last: zero means that nothing is there.
#[derive(Debug, Default)]
struct Entry(AtomicU64, AtomicU64);

impl Members {
    /// The number of this ticket.
    #[must_use]
    pub fn number(&self, ticket: QueueTicketId) -> Option<u32> {
        let key = Key::of(ticket);
        self.largest_first().find_map(|piece| piece.number(key))
    }

    /// Half of all tickets are in the largest piece, and three quarters in two.
    fn largest_first(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().rev().filter_map(OnceLock::get)
    }

    /// Gives the ticket this number, in the place of the one that it had, if any.
    ///
    /// # Panics
    /// Beyond 2^30 tickets, which no room has.
    pub fn insert(&self, writer: &mut MembersWriter, ticket: QueueTicketId, number: u32) {
        let key = Key::of(ticket);
        let known = self.largest_first().find_map(|piece| piece.find(key));
        if let Some(entry) = known {
            entry.1.store(key.with(number), Ordering::Release);
            return;
        }
        if writer.filled == size(writer.piece) / 4 * 3 {
            *writer = MembersWriter { piece: writer.piece + 1, filled: 0 };
        }
        self.pieces[writer.piece].get_or_init(|| Piece::of(size(writer.piece))).put(key, number);
        writer.filled += 1;
    }
}

/// Entries of a piece.
fn size(piece: usize) -> usize {
    FIRST << piece
}

impl Piece {
    fn of(size: usize) -> Self {
        Self((0..size).map(|_| Entry::default()).collect())
    }

    /// From where an entry of this key would begin, once around.
    fn probe(&self, key: Key) -> impl Iterator<Item = &Entry> {
        let start = usize::try_from(key.0).unwrap_or_default() & (self.0.len() - 1);
        self.0[start..].iter().chain(&self.0[..start])
    }

    fn find(&self, key: Key) -> Option<&Entry> {
        for entry in self.probe(key) {
            match entry.1.load(Ordering::Acquire) {
                0 => return None,
                second if key.is(entry.0.load(Ordering::Relaxed), second) => return Some(entry),
                _ => {}
            }
        }
        None
    }

    fn number(&self, key: Key) -> Option<u32> {
        let second = self.find(key)?.1.load(Ordering::Acquire);
        let number = (second & ((1 << NUMBER_BITS) - 1)) - 1;
        Some(u32::try_from(number).expect("a number of 32 bits was put there"))
    }

    fn put(&self, key: Key, number: u32) {
        let is_empty = |entry: &&Entry| entry.1.load(Ordering::Relaxed) == 0;
        let entry = self.probe(key).find(is_empty).expect("a quarter of a piece stays empty");
        entry.0.store(key.0, Ordering::Relaxed);
        entry.1.store(key.with(number), Ordering::Release);
    }
}

/// The eleven bytes of a ticket's id that are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key(u64, u64);

impl Key {
    fn of(ticket: QueueTicketId) -> Self {
        let (high, low) = ticket.uuid().as_u64_pair();
        // The low three bytes of the first half, above the number; the event and the kind are the same
        // for all. The second half is the better hash: only its first two bits are fixed.
        Self(low, (high & 0xff_ffff) << NUMBER_BITS)
    }

    fn is(self, first: u64, second: u64) -> bool {
        self.0 == first && self.1 == second >> NUMBER_BITS << NUMBER_BITS
    }

    fn with(self, number: u32) -> u64 {
        self.1 | (u64::from(number) + 1)
    }
}
