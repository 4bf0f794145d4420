//! What is large, asked for by many, and made for all of them once: the latest of it, bounded in bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// Things as they leave, each under its key.
pub(crate) struct Kept<K, V> {
    things: Mutex<VecDeque<(K, Arc<V>)>>,
    bytes_max: usize,
    bytes: fn(&V) -> usize,
}

impl<K, V> Kept<K, V> {
    /// Nothing yet. A thing that alone takes more than `bytes_max` is still kept, alone.
    pub(crate) fn new(bytes_max: usize, bytes: fn(&V) -> usize) -> Self {
        Self { things: Mutex::default(), bytes_max, bytes }
    }

    /// The one under this key.
    pub(crate) fn find(&self, key: &K) -> Option<Arc<V>>
    where
        K: PartialEq,
    {
        let things = self.things.lock();
        things.iter().find(|(of, _)| of == key).map(|(_, thing)| Arc::clone(thing))
    }

    /// Keeps it in the place of those that are `outdated` by it. The oldest go where there is no room.
    pub(crate) fn keep(&self, key: K, thing: Arc<V>, outdated: impl Fn(&K) -> bool) {
        let mut things = self.things.lock();
        things.retain(|(of, _)| !outdated(of));
        things.push_back((key, thing));
        let bytes = |things: &VecDeque<(K, Arc<V>)>| -> usize {
            things.iter().map(|(_, thing)| (self.bytes)(thing)).sum()
        };
        while things.len() > 1 && bytes(&things) > self.bytes_max {
            things.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_where_there_is_no_room_and_one_that_is_too_large_is_kept_alone() {
        let kept = Kept::new(10, Vec::len);
        let keep = |key, bytes| kept.keep(key, Arc::new(vec![0_u8; bytes]), |of| *of == key);
        let sizes = || [1, 2, 3].map(|key| kept.find(&key).map(|thing| thing.len()));
        keep(1, 4);
        keep(2, 6);
        assert_eq!(sizes(), [Some(4), Some(6), None]);
        keep(3, 1);
        assert_eq!(sizes(), [None, Some(6), Some(1)]);
        keep(2, 2);
        assert_eq!(sizes(), [None, Some(2), Some(1)], "in the place of the one before it");
        keep(1, 11);
        assert_eq!(sizes(), [Some(11), None, None]);
    }
}
