//! How the map came to be what it is: enough of its latest changes that whoever saw a version not long ago is told what
//! has changed since. Pure, and never altered: the next version makes the next history.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Availability;
use crate::id::{SeatIndex, Sequence};

/// A change is some ten bytes of an answer, and a whole map a third of a byte a seat: what takes more changes than
/// this is told shorter by the map.
const SEATS_A_CHANGE: usize = 30;

/// In a small house too.
const CHANGES_MAX_LEAST: usize = 512;

/// Ten minutes, however little changes.
const TICKS_MAX: usize = 1_200;

/// The latest map, and how it came to be.
#[derive(Clone, Debug)]
pub struct History {
    latest: Arc<Availability>,
    /// Each from where the one before ends; the last ends at the latest map.
    ticks: VecDeque<Arc<Tick>>,
    changes: usize,
}

/// From one published version to the next.
#[derive(Debug)]
struct Tick {
    from: Sequence,
    seats: Vec<SeatIndex>,
}

impl History {
    /// Of a map of which nothing is known before it.
    #[must_use]
    pub fn new(latest: Arc<Availability>) -> Self {
        Self { latest, ticks: VecDeque::new(), changes: 0 }
    }

    /// The latest map.
    #[must_use]
    pub fn latest(&self) -> &Arc<Availability> {
        &self.latest
    }

    /// With this map behind the latest. One that is not later, or of other seats, begins anew.
    #[must_use]
    pub fn advance(&self, next: Arc<Availability>) -> Self {
        let before = &self.latest;
        if next.version <= before.version || next.packed.len() != before.packed.len() {
            return Self::new(next);
        }
        let seats = changed(&before.packed, &next.packed);
        let tick = Tick { from: before.version, seats };
        let changes_max = CHANGES_MAX_LEAST.max(next.packed.len() * 4 / SEATS_A_CHANGE);
        let mut history = Self {
            changes: self.changes + tick.seats.len(),
            latest: next,
            ticks: self.ticks.clone(),
        };
        history.ticks.push_back(Arc::new(tick));
        while history.changes > changes_max || history.ticks.len() > TICKS_MAX {
            let Some(oldest) = history.ticks.pop_front() else { break };
            history.changes -= oldest.seats.len();
        }
        history
    }

    /// How many steps back it reaches.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.ticks.len()
    }

    /// How many steps back this version lies: 0 is the latest. None if it is further than the history reaches, or
    /// later than all that is known.
    #[must_use]
    pub fn steps_since(&self, version: Sequence) -> Option<usize> {
        if version > self.latest.version {
            return None;
        }
        if version == self.latest.version {
            return Some(0);
        }
        // A version between two ticks, of another process, is told from the earlier one on: states are absolute.
        let later = self.ticks.partition_point(|tick| tick.from <= version);
        (later > 0).then(|| self.ticks.len() - later + 1)
    }

    /// The version so many steps back, which are no more than there are.
    #[must_use]
    pub fn version_at(&self, steps: usize) -> Sequence {
        match steps {
            0 => self.latest.version,
            _ => self.ticks[self.ticks.len() - steps].from,
        }
    }

    /// The seats that changed within so many steps, in order, each with what it is now, as in the packed map.
    #[must_use]
    pub fn changes(&self, steps: usize) -> Vec<(SeatIndex, u8)> {
        let ticks = self.ticks.iter().rev().take(steps);
        let mut seats: Vec<SeatIndex> = ticks.flat_map(|tick| tick.seats.iter().copied()).collect();
        seats.sort_unstable();
        seats.dedup();
        seats.into_iter().map(|seat| (seat, self.latest.state(seat))).collect()
    }
}

/// Seats whose two bits are not the same.
fn changed(before: &[u8], after: &[u8]) -> Vec<SeatIndex> {
    let mut seats = Vec::new();
    for (at, (before, after)) in before.chunks(8).zip(after.chunks(8)).enumerate() {
        if before == after {
            continue;
        }
        for (byte, (before, after)) in before.iter().zip(after).enumerate() {
            let differs = before ^ after;
            let seats_here = (0..4).filter(|seat| differs >> (2 * seat) & 0b11 != 0);
            let first = u32::try_from((at * 8 + byte) * 4).expect("a plan's seats fit");
            seats.extend(seats_here.map(|seat| SeatIndex(first + seat)));
        }
    }
    seats
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::moment::Moment;

    const SEATS: usize = 77;

    fn map(version: i64, states: &[u8]) -> Arc<Availability> {
        let mut packed = vec![0; states.len().div_ceil(4)];
        for (seat, state) in states.iter().enumerate() {
            packed[seat / 4] |= state << (2 * (seat % 4));
        }
        let (as_of, changed_at) = (Moment(version), Moment(version));
        let version = Sequence(version);
        Arc::new(Availability { version, as_of, changed_at, packed, sections: Vec::new() })
    }

    fn states_of(map: &Availability) -> Vec<u8> {
        let seats = u32::try_from(SEATS).expect("few");
        (0..seats).map(|seat| map.state(SeatIndex(seat))).collect()
    }

    proptest! {
        /// Whoever saw any version that is in reach and is told the changes sees the latest.
        #[test]
        fn changes_since_any_version_make_the_latest(
            maps in vec((1..5_i64, vec(0..4_u8, SEATS)), 1..40),
            since in 0..100_i64,
        ) {
            let mut version = 0;
            let maps: Vec<_> = maps.iter().map(|(step, states)| {
                version += step;
                map(version, states)
            }).collect();
            let mut history = History::new(Arc::clone(&maps[0]));
            for next in &maps[1..] {
                history = history.advance(Arc::clone(next));
            }
            // What a process that publishes more often has seen lies between two of ours.
            let seen = maps.iter().rev().find(|map| map.version.0 <= since);
            if let (Some(seen), Some(steps)) = (seen, history.steps_since(Sequence(since))) {
                let mut states = states_of(seen);
                for (seat, state) in history.changes(steps) {
                    states[seat.0 as usize] = state;
                }
                prop_assert_eq!(states, states_of(history.latest()));
                prop_assert!(history.version_at(steps).0 <= since);
            }
        }
    }

    #[test]
    fn what_is_not_known_is_not_told_as_changes() {
        let history = History::new(map(5, &[0; SEATS])).advance(map(9, &[1; SEATS]));
        let steps = |version| history.steps_since(Sequence(version));
        assert_eq!(
            [4, 5, 8, 9, 10].map(steps),
            [None, Some(1), Some(1), Some(0), None],
            "before the first, at it, between, the latest, later than that"
        );
        assert_eq!(history.changes(1).len(), SEATS);
        let again = history.advance(map(7, &[2; SEATS]));
        assert_eq!((again.steps(), again.latest().version), (0, Sequence(7)), "it begins anew");
    }

    #[test]
    fn it_reaches_no_further_back_than_a_map_is_longer() {
        let seats = 60_000;
        let one = |seat: usize| {
            let mut states = vec![0; seats];
            states[..seat].fill(1);
            map(i64::try_from(seat).expect("few"), &states)
        };
        let mut history = History::new(one(0));
        for taken in (1_000..=10_000).step_by(1_000) {
            history = history.advance(one(taken));
        }
        assert_eq!(history.steps(), 2, "two thousand changes");
        let sold_out = history.advance(one(40_000));
        assert_eq!((sold_out.steps(), sold_out.changes), (0, 0), "the map itself is shorter");
        let mut quiet = History::new(one(0));
        for taken in 1..2_000 {
            quiet = quiet.advance(one(taken));
        }
        assert_eq!(quiet.steps(), TICKS_MAX);
    }
}
