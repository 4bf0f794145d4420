//! A search that tries everything. It knows rows and columns, not positions but for distances, and
//! shares nothing with the engine but the weights.

use std::collections::BTreeSet;

use taquilla_engine::seating::{ChoiceWish, ORPHAN, SPARE_ACCESSIBLE};

use super::hall::{Hall, Seat};

/// Seats by their place, in the order of columns.
pub(super) type Window = Vec<u32>;

pub(super) struct Everything<'a> {
    hall: &'a Hall,
    wish: ChoiceWish,
    distances: Vec<f64>,
}

impl<'a> Everything<'a> {
    pub(super) fn new(hall: &'a Hall, wish: ChoiceWish) -> Self {
        let points: Vec<(f64, f64)> = hall
            .spots()
            .iter()
            .map(|spot| (f64::from(spot.x / hall.pitch), f64::from(spot.y / hall.pitch)))
            .collect();
        let (x, y) =
            points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let ways: f64 = points.iter().map(|(x, y)| x.hypot(*y)).sum();
        let has_middle = x.hypot(y) > 0.5 * ways;
        let distance = |(its_x, its_y): &(f64, f64)| {
            let sideways = (its_x * y - its_y * x).abs() / x.hypot(y);
            its_x.hypot(*its_y) + if has_middle { sideways / 8.0 } else { 0.0 }
        };
        Self { hall, wish, distances: points.iter().map(distance).collect() }
    }

    pub(super) fn may_have(&self, seat: &Seat) -> bool {
        let is_tier = self.wish.tier.is_none_or(|tier| tier == seat.tier);
        !seat.taken && is_tier && (self.wish.accessible || !seat.accessible)
    }

    fn at(&self, row: usize, column: usize) -> Option<u32> {
        let is_there = |seat: &Seat| seat.row == row && seat.column == column;
        self.hall.seats.iter().position(is_there).map(|place| place as u32)
    }

    fn beside(&self, place: u32) -> impl Iterator<Item = u32> {
        let Seat { row, column, .. } = self.hall.seats[place as usize];
        let left = column.checked_sub(1).and_then(|left| self.at(row, left));
        left.into_iter().chain(self.at(row, column + 1))
    }

    /// Every window of so many seats that the wish may have.
    pub(super) fn windows(&self) -> Vec<Window> {
        let starting_at = |seat: &Seat| -> Option<Window> {
            let columns = seat.column..seat.column + self.wish.quantity as usize;
            let window: Option<Window> = columns.map(|column| self.at(seat.row, column)).collect();
            window.filter(|window| self.is_good(window))
        };
        self.hall.seats.iter().filter_map(starting_at).collect()
    }

    fn is_good(&self, window: &[u32]) -> bool {
        let mut seats = window.iter().map(|place| &self.hall.seats[*place as usize]);
        seats.clone().all(|seat| self.may_have(seat))
            && (!self.wish.accessible || seats.any(|seat| seat.accessible))
    }

    /// Seats that are free, with no free neighbour, after this choice and not before.
    pub(super) fn orphans(&self, chosen: &[u32]) -> u32 {
        let taken: BTreeSet<u32> = chosen.iter().copied().collect();
        let is_free = |place: u32| !self.hall.seats[place as usize].taken;
        let stays = |place: u32| is_free(place) && !taken.contains(&place);
        let all = 0..self.hall.seats.len() as u32;
        let is_orphan = |place: &u32| {
            stays(*place)
                && self.beside(*place).all(|place| !stays(place))
                && self.beside(*place).any(is_free)
        };
        all.filter(is_orphan).count() as u32
    }

    pub(super) fn distance(&self, chosen: &[u32]) -> f64 {
        let sum: f64 = chosen.iter().map(|place| self.distances[*place as usize]).sum();
        sum / chosen.len() as f64
    }

    /// The cost that is to be least, in seats.
    pub(super) fn cost(&self, chosen: &[u32]) -> f64 {
        let accessible =
            chosen.iter().filter(|place| self.hall.seats[**place as usize].accessible).count()
                as u32;
        let spare = if self.wish.accessible { accessible.saturating_sub(1) } else { 0 };
        self.distance(chosen) + f64::from(self.orphans(chosen) * ORPHAN + spare * SPARE_ACCESSIBLE)
    }

    /// How many parts the chosen seats are in.
    pub(super) fn parts(&self, chosen: &[u32]) -> usize {
        let chosen: BTreeSet<u32> = chosen.iter().copied().collect();
        let starts = |place: &&u32| {
            let Seat { row, column, .. } = self.hall.seats[**place as usize];
            let left = column.checked_sub(1).and_then(|left| self.at(row, left));
            left.is_none_or(|left| !chosen.contains(&left))
        };
        chosen.iter().filter(starts).count()
    }

    /// The least number of runs of free seats that have room for all, one of them with an accessible
    /// seat if that is asked for.
    pub(super) fn fewest_parts(&self) -> Option<usize> {
        let mut runs: Vec<(usize, bool)> = self.runs();
        runs.sort_unstable_by_key(|run| std::cmp::Reverse(run.0));
        let room = |parts: usize| -> usize {
            let (first, others) = runs.split_at(parts);
            let seats: usize = first.iter().map(|run| run.0).sum();
            if !self.wish.accessible || first.iter().any(|run| run.1) {
                return seats;
            }
            // The shortest makes way for the longest that has one.
            let accessible = others.iter().find(|run| run.1).map(|run| run.0);
            accessible.map_or(0, |longest| seats - first.last().map_or(0, |run| run.0) + longest)
        };
        (1..=runs.len()).find(|parts| room(*parts) >= self.wish.quantity as usize)
    }

    /// How long each longest run is that the wish may have, and whether it has an accessible seat.
    fn runs(&self) -> Vec<(usize, bool)> {
        let mut runs: Vec<(Seat, usize, bool)> = Vec::new();
        let mut seats = self.hall.seats.clone();
        seats.retain(|seat| self.may_have(seat));
        seats.sort_unstable_by_key(|seat| (seat.row, seat.column));
        for seat in seats {
            match runs.last_mut() {
                Some((last, length, accessible))
                    if last.row == seat.row && last.column + 1 == seat.column =>
                {
                    (*last, *length, *accessible) =
                        (seat, *length + 1, *accessible || seat.accessible);
                }
                _ => runs.push((seat, 1, seat.accessible)),
            }
        }
        runs.into_iter().map(|(_, length, accessible)| (length, accessible)).collect()
    }
}
