//! The free runs that a party may be split over, and how few of them do.

use std::cmp::Reverse;
use std::ops::Index;

use super::runs::{self, Run};
use super::{ChoiceWish, Seating};

/// A free run that is shorter than the party, or a stretch of a longer one.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) run: Run,
    /// Of its nearest seat.
    distance: u32,
    has_accessible: bool,
}

impl Piece {
    pub(super) fn len(&self) -> usize {
        self.run.fit.len()
    }

    /// Whether the split may be made around it: an accessible wish sits around an accessible seat.
    fn may_be_centre(&self, wish: &ChoiceWish) -> bool {
        !wish.accessible || self.has_accessible
    }
}

/// All pieces of a section, the longest first, and of equal ones those in the nearest stretch.
#[derive(Debug)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    /// How many seats the longest *n* have, from none on.
    reach: Vec<usize>,
    nearest: u32,
}

impl Index<usize> for Pieces {
    type Output = Piece;

    fn index(&self, at: usize) -> &Piece {
        &self.pieces[at]
    }
}

impl Pieces {
    /// What the wish may be met with. A run as long as the party, which only an accessible wish meets
    /// here (the run has no such seat, or it would have done), is cut: the centre has a seat too.
    pub(super) fn collect(
        seating: &Seating,
        wish: &ChoiceWish,
        taken: &impl Fn(u32) -> bool,
    ) -> Self {
        let mut pieces = Vec::new();
        let mut nearest = u32::MAX;
        for stretch in &seating.stretches {
            runs::each(seating, stretch, wish, taken, |run| {
                for start in run.fit.clone().step_by(wish.quantity as usize - 1) {
                    let fit = start..run.fit.end.min(start + wish.quantity - 1);
                    let chairs = seating.chairs(&fit);
                    let distance = chairs.iter().map(|chair| chair.distance).min();
                    let distance = distance.expect("a run has a seat");
                    let has_accessible = chairs.iter().any(|chair| chair.accessible);
                    nearest = nearest.min(distance);
                    let run = Run { fit, ..run.clone() };
                    pieces.push(Piece { run, distance, has_accessible });
                }
            });
        }
        // Stable, and there are few lengths: next to nothing when all are single seats.
        pieces.sort_by_key(|piece: &Piece| Reverse(piece.len()));
        let mut reach = vec![0];
        reach.extend(pieces.iter().scan(0, |seats, piece| {
            *seats += piece.len();
            Some(*seats)
        }));
        Self { pieces, reach, nearest }
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The least distance of any seat of them.
    pub(super) fn nearest(&self) -> u32 {
        self.nearest
    }

    /// The least number of pieces that have room for the party, if all together have.
    pub(super) fn fewest_parts(&self, wish: &ChoiceWish) -> Option<usize> {
        // Whatever can be done around another one, can be done around the longest with no more.
        let longest = self.pieces.iter().position(|piece| piece.may_be_centre(wish))?;
        let has_room = |parts: &usize| self.room(longest, parts - 1) >= wish.quantity as usize;
        // Each piece is shorter than the party.
        (2..=self.pieces.len()).find(has_room)
    }

    /// The pieces around which the party can be split into so many, as the largest of them unless an
    /// accessible seat decides; at most so many, the nearest ones, nearest first.
    pub(super) fn centres(&self, wish: &ChoiceWish, parts: usize, max: usize) -> Vec<usize> {
        let quantity = wish.quantity as usize;
        let is_centre = |at: &usize| {
            let piece = &self.pieces[*at];
            let is_large = wish.accessible || piece.len() * parts >= quantity;
            is_large && piece.may_be_centre(wish) && self.room(*at, parts - 1) >= quantity
        };
        let mut centres: Vec<usize> = (0..self.len()).filter(is_centre).collect();
        let key = |at: &usize| (self.pieces[*at].distance, *at);
        if centres.len() > max {
            centres.select_nth_unstable_by_key(max, key);
            centres.truncate(max);
        }
        centres.sort_unstable_by_key(key);
        centres
    }

    /// The pieces that are long enough for a split into so many parts around this one, if the others
    /// are as long as they may be.
    pub(super) fn useful_beside(
        &self,
        wish: &ChoiceWish,
        parts: usize,
        centre: usize,
    ) -> impl Iterator<Item = usize> {
        let room = self.room(centre, parts - 2);
        let wanted = (wish.quantity as usize).saturating_sub(room);
        let useful = self.pieces.partition_point(|piece| piece.len() >= wanted);
        (0..useful).filter(move |at| *at != centre)
    }

    /// How many seats this piece has with so many others.
    fn room(&self, centre: usize, others: usize) -> usize {
        let last = self.len();
        if centre < others {
            self.reach[(others + 1).min(last)]
        } else {
            self.pieces[centre].len() + self.reach[others.min(last)]
        }
    }
}
