//! Where seats lie when a plan does not say: sections as sectors of rings around the stage, rows as
//! arcs. The same plan is always laid out the same way.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Seats of each row of a section, front row first.
pub struct Block(pub Vec<u32>);

/// A place on the plan; the stage is at (0, 0), y grows downwards. A seat is one unit wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// From left to right.
    pub x: f32,
    /// From top to bottom.
    pub y: f32,
}

/// More would make the sectors of a ring too narrow to be told apart.
const RING_SECTIONS: usize = 24;
/// From the stage to the first row, and from one ring to the next.
const GAP: f64 = 6.0;
/// From row to row.
const ROW_PITCH: f64 = 1.2;
/// Between two neighbouring sections.
const AISLE: f64 = 2.0;

/// The seats' places, in the order of sections, rows and seats.
#[must_use]
pub fn lay_out(blocks: &[Block]) -> Vec<Spot> {
    let mut spots = Vec::new();
    let mut inner = GAP;
    for ring in blocks.chunks(RING_SECTIONS) {
        let sector = (TAU / ring.len() as f64).min(FRAC_PI_2);
        let widest = ring.iter().flat_map(|block| &block.0).copied().max().unwrap_or_default();
        // An arc of this radius has room for the widest row and an aisle.
        inner = inner.max((f64::from(widest) + AISLE) / sector);
        let deepest = ring.iter().map(|block| block.0.len()).max().unwrap_or_default();
        for (place, block) in ring.iter().enumerate() {
            // The first section lies below the stage, the others follow clockwise.
            let middle = PI / 2.0 + place as f64 * sector;
            for (row, seats) in block.0.iter().enumerate() {
                let radius = inner + row as f64 * ROW_PITCH;
                spots.extend((0..*seats).map(|seat| spot(middle, radius, seat, *seats)));
            }
        }
        inner += deepest as f64 * ROW_PITCH + GAP;
    }
    spots
}

fn spot(middle: f64, radius: f64, seat: u32, seats: u32) -> Spot {
    let from_middle = f64::from(seat) - f64::from(seats - 1) / 2.0;
    let angle = middle - from_middle / radius;
    Spot { x: rounded(radius * angle.cos()), y: rounded(radius * angle.sin()) }
}

/// To a hundredth of a seat: it keeps maps small, and the last digits of a cosine out of them.
#[expect(clippy::cast_possible_truncation, reason = "a plan is some thousand units wide")]
fn rounded(length: f64) -> f32 {
    ((length * 100.0).round() / 100.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_seat_lies_on_another() {
        let blocks: Vec<Block> =
            (0..60).map(|n| Block((0..25).map(|row| 30 + (n + row) % 20).collect())).collect();
        let spots = lay_out(&blocks);
        let cell = |v: f32| (v / 0.5).floor() as i64;
        let mut cells: Vec<_> = spots.iter().map(|spot| (cell(spot.x), cell(spot.y))).collect();
        let all = cells.len();
        cells.sort_unstable();
        cells.dedup();
        // Half-unit cells: two seats a unit apart are never in one.
        assert_eq!(cells.len(), all);
    }

    #[test]
    fn a_single_section_lies_below_the_stage_from_left_to_right() {
        let spots = lay_out(&[Block(vec![3, 3])]);
        assert!(spots.iter().all(|spot| spot.y > 0.0));
        assert!(spots[0].x < spots[1].x && spots[1].x < spots[2].x);
        assert_eq!(spots[1].x, 0.0);
        assert!(spots[4].y > spots[1].y, "the second row is farther from the stage");
        assert_eq!(lay_out(&[]), []);
    }
}
