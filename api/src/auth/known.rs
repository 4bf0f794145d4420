//! Tokens whose signature was found good before. Whoever polls shows the same one again and again, and a public-key
//! signature takes longer than all the rest of a poll. That a token is over is not kept here: whoever asks looks at
//! the time.
//!
//! Two generations stand in for a queue of the least recently used: when the young one is full it becomes the old
//! one, and what is asked for again comes back into the young. So nobody takes a lock to read. Whoever comes again
//! before so many others have come as a generation has is known for sure; beyond twice as many nobody is, and each is
//! verified as if nothing were kept.

use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use crate::turns::apart;

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

impl<T: Send + Sync + 'static> KnownTokens<T> {
    /// None yet, and hardly more than twice `generation_max` ever.
    pub(super) fn new(generation_max: usize) -> Self {
        Self {
            generation_max,
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
        // Of all who find it full, one turns it, and none goes on to fill it.
        let _alone = self.turning.lock();
        let young = self.young.load_full();
        if young.len() >= self.generation_max {
            let oldest = self.old.swap(young);
            self.young.store(Arc::default());
            // To free so many takes long.
            tokio::spawn(apart((), move || drop(oldest)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(known: &KnownTokens<i32>) -> usize {
        known.young.load().len() + known.old.load().len()
    }

    #[test]
    fn a_good_token_is_read_once_and_a_bad_one_each_time() {
        let known = KnownTokens::new(100);
        assert_eq!(known.of("good", || Some(1)).as_deref(), Some(&1));
        assert_eq!(known.of("good", || panic!("it is known")).as_deref(), Some(&1));
        assert_eq!(known.of("bad", || None), None);
        assert_eq!(known.of("bad", || Some(2)).as_deref(), Some(&2), "it is read again");
    }

    #[tokio::test]
    async fn whoever_comes_again_soon_stays_known_however_many_others_come() {
        let known = KnownTokens::new(10);
        known.of("ana", || Some(0));
        for other in 0..1_000 {
            known.of(&other.to_string(), || Some(other));
            if other % 9 == 0 {
                assert_eq!(known.of("ana", || panic!("she is known")).as_deref(), Some(&0));
            }
            assert!(kept(&known) <= 20);
        }
        assert!(known.of("0", || None).is_none(), "whoever came once is forgotten");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn many_at_once_are_bounded_and_each_is_told_his_own() {
        let known = Arc::new(KnownTokens::new(50));
        let asks = (0..4).map(|thread| {
            let known = Arc::clone(&known);
            tokio::spawn(async move {
                for turn in 0..20_000 {
                    let who = (turn * 7 + thread) % 300;
                    let says = known.of(&who.to_string(), || Some(who));
                    assert_eq!(says.as_deref(), Some(&who));
                }
            })
        });
        for asked in asks.collect::<Vec<_>>() {
            asked.await.expect("it does not panic");
        }
        assert!(kept(&known) <= 2 * (50 + 4), "{}", kept(&known));
    }
}
