//! From labels to seats. The labels themselves are the seats'; here are only their indexes, sorted
//! into buckets by a keyed hash, six bytes a seat.

use std::hash::{BuildHasher, RandomState};

use super::seats::Packed;
use crate::id::SeatIndex;
use crate::name::canonical;

/// So many seats share a bucket, on average. A bucket costs four bytes, and a look into it so many
/// comparisons.
const BUCKET_SEATS: usize = 2;

/// Finds seats by their labels' canonical form.
#[derive(Debug)]
pub(super) struct Labels {
    /// Of each bucket, where it starts in `seats`; behind the last, where that ends.
    starts: Box<[u32]>,
    /// Bucket by bucket.
    seats: Box<[u32]>,
    hasher: RandomState,
}

impl Labels {
    /// Of these seats.
    pub(super) fn of(seats: &Packed) -> Self {
        let buckets = seats.len() / BUCKET_SEATS + 1;
        let starts = vec![0; buckets + 1].into_boxed_slice();
        let order = vec![0; seats.len()].into_boxed_slice();
        let mut labels = Self { starts, seats: order, hasher: RandomState::new() };
        let buckets: Vec<usize> =
            (0..seats.len()).map(|index| labels.bucket(&canonical(seats.label(index)))).collect();
        for bucket in &buckets {
            labels.starts[*bucket] += 1;
        }
        let mut end = 0;
        for start in &mut labels.starts {
            end += *start;
            *start = end;
        }
        // Filled from its end, each bucket is full at its start.
        for (bucket, index) in buckets.iter().zip(0..) {
            labels.starts[*bucket] -= 1;
            labels.seats[labels.starts[*bucket] as usize] = index;
        }
        labels
    }

    /// The seat of this label; `seats` are those that this was made of.
    pub(super) fn find(&self, label: &str, seats: &Packed) -> Option<SeatIndex> {
        let label = canonical(label);
        let bucket = self.bucket(&label);
        let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        let is_it = |index: &&u32| canonical(seats.label(**index as usize)) == label;
        self.seats[start..end].iter().find(is_it).copied().map(SeatIndex)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a remainder of a usize")]
    fn bucket(&self, canonical: &str) -> usize {
        (self.hasher.hash_one(canonical) % (self.starts.len() as u64 - 1)) as usize
    }

    #[cfg(test)]
    pub(super) fn allocated(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.seats)
    }
}
