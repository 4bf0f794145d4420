//! Tokens whose signature was found good before. Whoever polls shows the same one again and again: to compute an
//! HMAC and read the claims took a fifteenth of a poll's whole time, and a public-key signature takes more than all
//! the rest of a poll. That a token is over is not kept here: whoever asks looks at the time.
//!
//! Two generations stand in for a queue of the least recently used: when the young one is full it becomes the old
//! one, and what is asked for again comes back into the young. So nobody takes a lock to read.

use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

/// Of a token: nobody finds another with the same 128 bits.
type Fingerprint = [u8; 16];

type Generation<T> = papaya::HashMap<Fingerprint, Arc<T>>;

/// What good tokens say.
pub(super) struct KnownTokens<T> {
    generation_max: usize,
    young: ArcSwap<Generation<T>>,
    old: ArcSwap<Generation<T>>,
    turning: Mutex<()>,
}

impl<T> KnownTokens<T> {
    /// None yet, and hardly more than `max` ever.
    pub(super) fn new(max: usize) -> Self {
        Self {
            generation_max: max / 2,
            young: ArcSwap::default(),
            old: ArcSwap::default(),
            turning: Mutex::new(()),
        }
    }

    /// What this token says: as it is known, or else as it is read, which for a bad one says nothing.
    pub(super) fn of(&self, token: &str, read: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let digest = Sha256::digest(token);
        let (fingerprint, _) = digest.split_first_chunk().expect("32 bytes have 16");
        let young = self.young.load();
        if let Some(known) = young.pin().get(fingerprint) {
            return Some(Arc::clone(known));
        }
        let before = self.old.load().pin().get(fingerprint).cloned();
        let says = before.or_else(|| read().map(Arc::new))?;
        young.pin().insert(*fingerprint, Arc::clone(&says));
        if young.len() >= self.generation_max {
            self.turn();
        }
        Some(says)
    }

    fn turn(&self) {
        // Of all who find it full, one turns it.
        let Some(_alone) = self.turning.try_lock() else { return };
        let young = self.young.load_full();
        if young.len() >= self.generation_max {
            self.old.store(young);
            self.young.store(Arc::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_token_is_read_once_and_a_bad_one_each_time() {
        let known = KnownTokens::new(100);
        assert_eq!(known.of("good", || Some(1)).as_deref(), Some(&1));
        assert_eq!(known.of("good", || panic!("it is known")).as_deref(), Some(&1));
        assert_eq!(known.of("bad", || None), None);
        assert_eq!(known.of("bad", || Some(2)).as_deref(), Some(&2), "it is read again");
    }

    #[test]
    fn whoever_comes_again_stays_known_however_many_others_come() {
        let known = KnownTokens::new(20);
        known.of("ana", || Some(0));
        for other in 0..1_000 {
            known.of(&other.to_string(), || Some(other));
            assert_eq!(known.of("ana", || panic!("she is known")).as_deref(), Some(&0));
            assert!(known.young.load().len() + known.old.load().len() <= 20);
        }
        assert!(known.of("0", || None).is_none(), "whoever came once is forgotten");
    }
}
