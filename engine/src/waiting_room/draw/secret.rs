//! What is drawn before anybody joins, and told after the draw.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::id::EventId;

const COMMITMENT: &[u8] = b"taquilla draw commitment 1";

/// Thirty-two bytes that nobody could guess. Not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

/// What is published of the secret beforehand: it fixes the secret, and does not tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment(pub [u8; 32]);

impl Secret {
    /// Of bytes that were drawn at the edge.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its commitment: SHA-256 of a label, the event's id and the secret. The event's id is in it, so
    /// that one secret never serves two draws.
    #[must_use]
    pub fn commitment(&self, event: EventId) -> Commitment {
        let mut hash = Sha256::new();
        hash.update(COMMITMENT);
        hash.update(event.uuid().as_bytes());
        hash.update(self.0);
        Commitment(hash.finalize().into())
    }

    /// The bytes.
    #[must_use]
    pub fn reveal(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
