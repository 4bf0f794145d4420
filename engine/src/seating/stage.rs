//! How far a seat is from front and centre.

use super::Spot;
use super::cost::{FAR, in_units};
use super::neighbours;

/// A seat beside the middle of its section is farther from the centre by this part of its way to
/// the middle. Rows drawn as arcs around the stage are equally far from it at both ends and in
/// between; without this nobody could say which end to start from. An eighth makes nine or ten
/// seats to the side as bad as one row back.
const SIDEWAYS: f64 = 1.0 / 8.0;

/// A section whose seats' mean is nearer to the stage than this part of its seats' mean distance
/// goes round the stage by more than half a circle, and has no middle.
const ROUND: f64 = 0.5;

/// What distances are measured from, and in what.
///
/// A seat's distance is its way to the focus, plus an eighth of its way to the line from the focus
/// through the middle of its section, in seats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Where everybody looks, in the plan's own units.
    pub focus: (f32, f32),
    /// From a seat to its neighbour, in the plan's own units: 1 where the server lays seats out, 25
    /// or so in plans drawn in pixels. One for the whole plan, so that sections can be compared.
    pub seat_pitch: f32,
}

impl Stage {
    /// The stage of a plan of these seated sections: the pitch is the median over all seats of the
    /// way to the nearest seat of the same row, and 1 if no row has two seats.
    #[must_use]
    pub fn of_plan<'s>(focus: (f32, f32), sections: impl IntoIterator<Item = &'s [Spot]>) -> Self {
        let mut spacings = Vec::new();
        for spots in sections {
            for row in neighbours::rows(spots) {
                spacings.extend(neighbours::spacings(spots, &row));
            }
        }
        let seat_pitch = neighbours::median(&mut spacings).unwrap_or(1.0) as f32;
        Self { focus, seat_pitch }
    }

    /// Of each seat, in units.
    pub(super) fn distances(&self, spots: &[Spot]) -> Vec<u32> {
        let points: Vec<[f64; 2]> = spots.iter().map(|spot| self.offset(spot)).collect();
        let middle = middle_line(&points);
        let distance = |[x, y]: &[f64; 2]| {
            let sideways =
                middle.map_or(0.0, |[ahead_x, ahead_y]| (x * ahead_y - y * ahead_x).abs());
            in_units(length(*x, *y) + sideways * SIDEWAYS)
        };
        points.iter().map(distance).collect()
    }

    /// From the focus, in seats.
    pub(super) fn point(&self, spot: &Spot) -> [f32; 2] {
        self.offset(spot).map(|way| way as f32)
    }

    fn offset(&self, spot: &Spot) -> [f64; 2] {
        let pitch = f64::from(self.seat_pitch);
        let in_seats = |at: f32, focus: f32| (f64::from(at) - f64::from(focus)) / pitch;
        [in_seats(spot.x, self.focus.0), in_seats(spot.y, self.focus.1)]
    }
}

/// The direction from the focus to the middle of the seats, if they have one.
fn middle_line(points: &[[f64; 2]]) -> Option<[f64; 2]> {
    let (mut x, mut y, mut ways, mut seats) = (0.0, 0.0, 0.0, 0_u32);
    for [its_x, its_y] in points {
        if its_x.is_finite() && its_y.is_finite() && length(*its_x, *its_y) < f64::from(FAR) {
            (x, y, ways, seats) = (x + its_x, y + its_y, ways + length(*its_x, *its_y), seats + 1);
        }
    }
    let away = length(x, y);
    (seats > 0 && away > ROUND * ways).then(|| [x / away, y / away])
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}
