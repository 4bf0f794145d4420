//! The draw: those who are present before the opening are put in an order that nobody could choose.
//!
//! Before anybody joins, a secret is drawn and its [`Commitment`] published. When the sale opens, the
//! number of those present is frozen, and with it a [`PublicValue`] that their tickets make together. Both
//! key a permutation: whoever has the number `i` in the room stands at `position(i)`. The secret is then
//! revealed, so that anybody can compute every position again. docs/draw.md has the algorithm in words,
//! what it proves and what it does not, and test vectors.

mod attendance;
mod permutation;
mod secret;

pub use self::attendance::{Attendance, PublicValue};
pub use self::permutation::Permutation;
pub use self::secret::{Commitment, Secret};

use sha2::{Digest, Sha256};

use crate::id::EventId;

/// Names what a hash is of, so that none is taken for another.
const KEY: &[u8] = b"taquilla draw key 1";

/// Everything that the positions follow from, once the sale is open.
#[derive(Clone, Debug)]
pub struct Draw {
    permutation: Permutation,
}

impl Draw {
    /// The draw among `present` tickets of the event, which made this public value.
    #[must_use]
    pub fn new(event: EventId, secret: &Secret, value: PublicValue, present: u32) -> Self {
        let mut hash = Sha256::new();
        hash.update(KEY);
        hash.update(event.uuid().as_bytes());
        hash.update(secret.reveal());
        hash.update(value.0);
        Self { permutation: Permutation::new(hash.finalize().into(), present) }
    }

    /// How many took part.
    #[must_use]
    pub fn present(&self) -> u32 {
        self.permutation.size()
    }

    /// Where the ticket of this index stands, from 0. Later ones than took part stand behind them, in the
    /// order in which they came.
    #[must_use]
    pub fn position(&self, index: u32) -> u32 {
        if index < self.present() { self.permutation.apply(index) } else { index }
    }

    /// Which ticket stands there: the reverse of [`Draw::position`].
    #[must_use]
    pub fn index_at(&self, position: u32) -> u32 {
        if position < self.present() { self.permutation.invert(position) } else { position }
    }
}
