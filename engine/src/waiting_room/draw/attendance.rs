//! Who is present, as a hash that grows with each ticket: freezing it takes no longer for many.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::id::QueueTicketId;

/// The tickets of those present, in the order in which they came.
#[derive(Clone)]
pub struct Attendance {
    hash: Sha256,
    count: u32,
}

/// What the tickets of those present make together: SHA-256 of their ids, sixteen bytes each, in the order
/// in which they came. Nobody knows it before the last of them has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicValue(pub [u8; 32]);

impl Default for Attendance {
    fn default() -> Self {
        Self { hash: Sha256::new(), count: 0 }
    }
}

impl Attendance {
    /// One more.
    pub fn push(&mut self, ticket: QueueTicketId) {
        self.hash.update(ticket.uuid().as_bytes());
        self.count += 1;
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// What they make, if nobody else comes.
    #[must_use]
    pub fn freeze(&self) -> PublicValue {
        PublicValue(self.hash.clone().finalize().into())
    }
}

impl fmt::Debug for Attendance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendance").field("count", &self.count).finish_non_exhaustive()
    }
}
