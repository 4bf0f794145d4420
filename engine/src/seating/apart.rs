//! The best seats of a party that cannot sit side by side.
//!
//! Fewest parts first, exactly. Among splits into so many, all that lie around the best few of the
//! possible largest parts are weighed: every other one that is close, the closest first, joined by
//! the longest that are closer. So the number of parts is the least there is, and that no other
//! split is closer or nearer is likely, not certain: trying all of them would take for ever in a
//! section of which every second seat is sold.

use std::collections::BinaryHeap;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::cost::{self, ANOTHER_ROW, APART, Cost, Drawbacks, FAR, UNITS_A_SEAT};
use super::pieces::{Piece, Pieces};
use super::runs::{self, Run};
use super::{Choice, ChoiceWish, Reason, Seating};

/// Largest parts that are tried, the nearest to front and centre first.
const CENTRES_MAX: usize = 16;

/// Pairs of a largest part and another one that are looked at; beyond this, fewer largest parts are
/// tried. Bounds the time in a huge section of which every second seat is sold.
const LOOKS_MAX: usize = 1 << 14;

/// Splits around one largest part that are weighed.
const TRIES_MAX: u32 = 4;

/// So many of the closest others are put in order at first; they nearly always do.
const CLOSEST: usize = 16;

pub(super) fn find(
    seating: &Seating,
    wish: &ChoiceWish,
    taken: &impl Fn(u32) -> bool,
) -> Option<Choice> {
    // A single seat is never split.
    if wish.quantity < 2 {
        return None;
    }
    let pieces = Pieces::collect(seating, wish, taken);
    let parts = pieces.fewest_parts(wish)?;
    let mut search = Search { seating, wish, pieces: &pieces, parts, best: None };
    let centres_max = (LOOKS_MAX / pieces.len()).clamp(1, CENTRES_MAX);
    for centre in pieces.centres(wish, parts, centres_max) {
        search.look_around(centre);
    }
    search.choice()
}

struct Search<'a> {
    seating: &'a Seating,
    wish: &'a ChoiceWish,
    pieces: &'a Pieces,
    /// How many there have to be; at least two.
    parts: usize,
    best: Option<Best>,
}

struct Best {
    cost: Cost,
    distances: u64,
    parts: SmallVec<[Run; 4]>,
}

/// Another piece as seen from the largest part.
type Seen = (u32, u32);

impl Search<'_> {
    fn look_around(&mut self, centre: usize) {
        let middle = self.middle(&self.pieces[centre]);
        let mut others: Vec<Seen> = self
            .pieces
            .useful_beside(self.wish, self.parts, centre)
            .map(|other| (self.apart(centre, middle, other), other as u32))
            .collect();
        let some = CLOSEST.max(2 * self.parts);
        if others.len() > some {
            others.select_nth_unstable(some);
            others[..some].sort_unstable();
            if self.walk(centre, &others[..some]) {
                return;
            }
        }
        others.sort_unstable();
        self.walk(centre, &others);
    }

    /// Weighs splits with the closest others first; whether these were enough.
    fn walk(&mut self, centre: usize, others: &[Seen]) -> bool {
        let quantity = self.wish.quantity as usize;
        // The longest of those passed: they are in order of length, the last of them on top.
        let mut longest: BinaryHeap<u32> = BinaryHeap::new();
        let mut seats = self.pieces[centre].len();
        let mut tries = 0;
        for (apart, other) in others {
            if self.is_settled(*apart) {
                return true;
            }
            if seats + self.pieces[*other as usize].len() >= quantity {
                self.weigh(centre, &longest, *other, *apart);
                tries += 1;
                if tries == TRIES_MAX {
                    return true;
                }
            }
            longest.push(*other);
            seats += self.pieces[*other as usize].len();
            if longest.len() > self.parts - 2 {
                let shortest = longest.pop().expect("one has just been pushed");
                seats -= self.pieces[shortest as usize].len();
            }
        }
        tries > 0
    }

    /// Whether a split so far apart cannot cost less.
    fn is_settled(&self, apart: u32) -> bool {
        let units = u64::from(apart) * u64::from(APART) + u64::from(self.pieces.nearest());
        let least = units * u64::from(self.wish.quantity);
        self.best.as_ref().is_some_and(|best| least > best.cost.sum)
    }

    /// The split into the centre, those passed and this last one. As the parts are as few as can be,
    /// what is too much is less than any of them has: the last gives it up, or the centre, which may
    /// not only if an accessible seat is to be kept.
    fn weigh(&mut self, centre: usize, passed: &BinaryHeap<u32>, last: u32, apart: u32) {
        let whole = |piece: usize| self.pieces[piece].run.clone();
        let mut parts: SmallVec<[Run; 4]> = smallvec![whole(centre), whole(last as usize)];
        parts.extend(passed.iter().map(|piece| whole(*piece as usize)));
        let seats: usize = parts.iter().map(|part| part.fit.len()).sum();
        let spare = seats as u32 - self.wish.quantity;
        let giving: &[usize] = if self.wish.accessible { &[1] } else { &[1, 0] };
        for part in giving {
            let Range { start, end } = parts[*part].fit;
            for fit in [start..end - spare, start + spare..end] {
                let mut split = parts.clone();
                split[*part].fit = fit;
                split.sort_unstable_by_key(|part| part.fit.start);
                self.offer(split, apart);
                if spare == 0 {
                    return;
                }
            }
        }
    }

    fn offer(&mut self, parts: SmallVec<[Run; 4]>, apart: u32) {
        let chairs = || parts.iter().flat_map(|part| self.seating.chairs(&part.fit));
        let distances = chairs().map(|chair| u64::from(chair.distance)).sum();
        let accessible = chairs().map(|chair| u32::from(chair.accessible)).sum();
        let alone = parts.iter().filter(|part| part.fit.len() == 1).count() as u32;
        let against = Drawbacks { orphans: runs::orphans(&parts), accessible, alone, apart };
        let first = self.seating.chairs(&parts[0].fit)[0].place;
        let cost = Cost::new(distances, self.wish.quantity, against, first);
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(Best { cost, distances, parts });
        }
    }

    fn middle(&self, piece: &Piece) -> [f32; 2] {
        let points = self.seating.points(&piece.run.fit);
        let [x, y] = points[(points.len() - 1) / 2];
        let [other_x, other_y] = points[points.len() / 2];
        [(x + other_x) / 2.0, (y + other_y) / 2.0]
    }

    /// From the middle of the centre to the closest seat of the other, in units.
    fn apart(&self, centre: usize, [x, y]: [f32; 2], other: usize) -> u32 {
        let other = &self.pieces[other];
        let squares = self
            .seating
            .points(&other.run.fit)
            .iter()
            .map(|[its_x, its_y]| (its_x - x) * (its_x - x) + (its_y - y) * (its_y - y));
        // What is no number is passed over by `min`.
        let way = squares.fold(f32::INFINITY, f32::min).sqrt() * UNITS_A_SEAT as f32;
        let is_same_row = self.pieces[centre].run.row == other.run.row;
        let more = if is_same_row { 0 } else { ANOTHER_ROW * UNITS_A_SEAT };
        (way.min(FAR as f32) as u32 + more).min(FAR)
    }

    fn choice(self) -> Option<Choice> {
        let best = self.best?;
        let chairs = || best.parts.iter().flat_map(|part| self.seating.chairs(&part.fit));
        Some(Choice {
            places: chairs().map(|chair| chair.place).collect(),
            row: self.seating.rows[best.parts[0].row as usize].clone(),
            distance: cost::in_seats(best.distances, self.wish.quantity),
            split: true,
            orphans: best.cost.orphans,
            reason: Reason::SplitNoRunFree,
        })
    }
}
