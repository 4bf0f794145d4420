//! Who sits beside whom, by position alone.
//!
//! Within a row (the seats of one name) the closest pairs are linked first, until each seat has a
//! neighbour on either side. A link may not be longer than [`REACH`] and may not turn a corner, so a
//! row may be straight, bent into a horseshoe, or numbered anyhow; a gangway ends it, and two rows
//! that share a name stay two. A row closed to a ring is cut at one place.

use super::Spot;

/// A gap longer than this many of the row's usual ends the stretch. A seat left out makes it 2, a
/// wheelchair's space beside a seat about 1.4; in between lies a gangway that one can tell.
const REACH: f64 = 1.5;

/// Seats of one row may lie so many plan's pitches apart; whatever a row is used to, what is farther
/// is not beside.
const LOOSE: f64 = 2.0;

/// Rows of fewer seats than this have no usual gap of their own, and take the plan's.
const USUAL_SEATS_MIN: usize = 4;

/// The cosine between the ways to one's two neighbours is at most this: a row turns by 60 degrees at
/// most (six seats round a table), with something for rounding. The seat behind, or diagonally
/// behind in a staggered row, is at a right angle or nearly so.
const TURN: f64 = -0.49;

/// Seats that lie at most so many places further in the order from left to right, or from front to
/// back, are looked at. A row is a line, and lines cross one direction or the other seldom; so a
/// bound on pairs costs no neighbour, whatever the plan.
const WINDOW: usize = 8;

/// Lengths are compared in this fraction of a seat: those closer than that are equal, and the lower
/// places are linked first.
const SAME: f64 = 16.0;

const NOBODY: u32 = u32::MAX;

/// The seats of each row name, in index order, rows by name.
pub(super) fn rows(spots: &[Spot]) -> Vec<Vec<u32>> {
    let mut places: Vec<u32> = (0..u32::try_from(spots.len())
        .expect("a plan has fewer seats than a u32 counts"))
        .collect();
    let name = |place: &u32| &*spots[*place as usize].row;
    places.sort_by_key(name);
    places.chunk_by(|one, other| name(one) == name(other)).map(<[u32]>::to_vec).collect()
}

/// From each seat of the row to the nearest other one; of seats that lie alone or on one another,
/// nothing.
pub(super) fn spacings(spots: &[Spot], row: &[u32]) -> Vec<f64> {
    nearest(&points(spots, row))
}

/// The middle one, if there is one. Orders them in passing.
pub(super) fn median(lengths: &mut [f64]) -> Option<f64> {
    let middle = lengths.len().checked_sub(1)? / 2;
    Some(*lengths.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// The row's stretches, each from the end with the lower place to the other.
pub(super) fn chains(spots: &[Spot], row: &[u32], plan_pitch: f32) -> Vec<Vec<u32>> {
    let points = points(spots, row);
    let pitch = usual(&points, f64::from(plan_pitch));
    let mut pairs: Vec<(u32, u32, u32)> = Vec::new();
    each_pair(&points, |one, other, length| {
        if length <= REACH * pitch {
            let rank = (length / pitch * SAME).round() as u32;
            pairs.push((rank, one.min(other), one.max(other)));
        }
    });
    pairs.sort_unstable();
    pairs.dedup();
    let mut links = Links::new(points);
    for (_, one, other) in pairs {
        links.link(one, other);
    }
    let mut chains = links.chains();
    chains.iter_mut().flatten().for_each(|seat| *seat = row[*seat as usize]);
    chains
}

fn points(spots: &[Spot], row: &[u32]) -> Vec<[f64; 2]> {
    let point = |place: &u32| {
        let Spot { x, y, .. } = spots[*place as usize];
        [f64::from(x), f64::from(y)]
    };
    row.iter().map(point).collect()
}

fn usual(points: &[[f64; 2]], plan_pitch: f64) -> f64 {
    if points.len() < USUAL_SEATS_MIN {
        return plan_pitch;
    }
    median(&mut nearest(points)).map_or(plan_pitch, |pitch| pitch.min(LOOSE * plan_pitch))
}

fn nearest(points: &[[f64; 2]]) -> Vec<f64> {
    let mut nearest = vec![f64::INFINITY; points.len()];
    each_pair(points, |one, other, length| {
        for seat in [one, other] {
            nearest[seat as usize] = nearest[seat as usize].min(length);
        }
    });
    nearest.retain(|length| length.is_finite());
    nearest
}

/// Pairs that may be neighbours and how far they are apart, some of them twice. Seats that lie on
/// one another are no pair, nor is what is no number.
fn each_pair(points: &[[f64; 2]], mut visit: impl FnMut(u32, u32, f64)) {
    for axis in [0, 1] {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.sort_unstable_by(|one, other| {
            let (a, b) = (points[*one as usize], points[*other as usize]);
            a[axis]
                .total_cmp(&b[axis])
                .then(a[1 - axis].total_cmp(&b[1 - axis]))
                .then(one.cmp(other))
        });
        for (at, one) in order.iter().enumerate() {
            for other in order[at + 1..].iter().take(WINDOW) {
                let length = length(way(points, *one, *other));
                if length > 0.0 && length.is_finite() {
                    visit(*one, *other, length);
                }
            }
        }
    }
}

/// The chains that have been linked so far.
struct Links {
    points: Vec<[f64; 2]>,
    beside: Vec<[u32; 2]>,
    /// Of a chain's end, its other end; of a seat in the middle, whatever it was before.
    far_end: Vec<u32>,
}

impl Links {
    fn new(points: Vec<[f64; 2]>) -> Self {
        let far_end = (0..points.len() as u32).collect();
        Self { beside: vec![[NOBODY; 2]; points.len()], far_end, points }
    }

    fn link(&mut self, one: u32, other: u32) {
        let closes_a_ring = self.far_end[one as usize] == other;
        if closes_a_ring || !self.may_have(one, other) || !self.may_have(other, one) {
            return;
        }
        for (seat, neighbour) in [(one, other), (other, one)] {
            let beside = &mut self.beside[seat as usize];
            beside[usize::from(beside[0] != NOBODY)] = neighbour;
        }
        let (start, end) = (self.far_end[one as usize], self.far_end[other as usize]);
        self.far_end[start as usize] = end;
        self.far_end[end as usize] = start;
    }

    fn may_have(&self, seat: u32, neighbour: u32) -> bool {
        let [first, second] = self.beside[seat as usize];
        if first == NOBODY {
            return true;
        }
        let (back, on) = (way(&self.points, seat, first), way(&self.points, seat, neighbour));
        let cosine = (back[0] * on[0] + back[1] * on[1]) / (length(back) * length(on));
        second == NOBODY && cosine <= TURN
    }

    /// The finished chains, each walked from its lower end.
    fn chains(&self) -> Vec<Vec<u32>> {
        let is_start = |seat: &u32| {
            self.beside[*seat as usize][1] == NOBODY && *seat <= self.far_end[*seat as usize]
        };
        (0..self.points.len() as u32).filter(is_start).map(|start| self.walk(start)).collect()
    }

    fn walk(&self, start: u32) -> Vec<u32> {
        let mut chain = vec![start];
        let (mut before, mut at) = (start, self.beside[start as usize][0]);
        while at != NOBODY {
            chain.push(at);
            let [first, second] = self.beside[at as usize];
            (before, at) = (at, if first == before { second } else { first });
        }
        chain
    }
}

fn way(points: &[[f64; 2]], from: u32, to: u32) -> [f64; 2] {
    let (from, to) = (points[from as usize], points[to as usize]);
    [to[0] - from[0], to[1] - from[1]]
}

fn length([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}
