//! What is remembered of callers: an instant each, and of no more callers than the bound.
//!
//! Whoever comes when there is no room is let through and not remembered: to refuse him would hand
//! whoever has many addresses the means to keep everybody else out, and such a one is not stopped by a
//! limit on each address anyhow.

use std::collections::HashMap;

use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::ShrinkableKeyedStateStore;
use parking_lot::Mutex;

use super::metric;

/// So that two requests seldom wait for the same lock, and tidying holds up few at a time.
const SHARDS: usize = 64;

/// Callers by a hash of what they are called.
pub(super) struct Callers {
    by: &'static str,
    shards: Vec<Mutex<HashMap<u64, Nanos>>>,
    shard_max: usize,
}

impl Callers {
    /// None yet, and never many more than `max`.
    pub(super) fn new(by: &'static str, max: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { by, shards, shard_max: max.div_ceil(SHARDS) }
    }

    fn shard(&self, caller: u64) -> &Mutex<HashMap<u64, Nanos>> {
        // A hash table takes the high bits first; these are spread as well.
        &self.shards[usize::try_from(caller % SHARDS as u64).expect("less than the shards")]
    }
}

impl StateStore for Callers {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, caller: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut shard = self.shard(*caller).lock();
        let known = shard.get(caller).copied();
        let (decided, next) = decide(known)?;
        if known.is_some() || shard.len() < self.shard_max {
            shard.insert(*caller, next);
        } else {
            metric::unlimited(self.by);
        }
        Ok(decided)
    }
}

impl ShrinkableKeyedStateStore<u64> for Callers {
    fn retain_recent(&self, drop_below: Nanos) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            shard.retain(|_, next| *next > drop_below);
            let in_use = shard.len();
            // Half of what a rush has taken is kept for the next one.
            if shard.capacity() > 4 * in_use {
                shard.shrink_to(2 * in_use);
            }
        }
    }

    fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
