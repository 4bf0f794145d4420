//! Rings of blocks, blocks of rows.

use super::Zone;
use super::bowl::Curve;
use super::seat::{Row, Seat, Spot};

/// From row to row.
const ROW_PITCH: f64 = 1.6;
/// Between two blocks.
const GANGWAY: f64 = 2.0;
/// The stairs in the middle of a block.
const STAIRS: f64 = 2.0;
/// Rows, counted from 0, in whose middle the entrance to a block opens, and how many seats it takes to
/// either side of the stairs.
const ENTRANCE: (std::ops::Range<u32>, usize) = (5..9, 3);
/// Places for wheelchairs to either side of the stairs in the first row.
const WHEELCHAIRS: usize = 2;

/// A ring of the bowl.
#[derive(Debug)]
pub(super) struct Ring {
    /// The first block's number; it lies below the stage, the others follow clockwise.
    first: u32,
    blocks: u32,
    rows: u32,
    /// Of the first row, from the pitch's edge.
    distance: f64,
    pub(super) category: &'static str,
    numbering: Numbering,
}

/// How the seats of a row are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// From left to right, from 1.
    Through,
    /// From the stairs outwards: odd to the left, even to the right. In row C of every third block a
    /// seat was put in after 23.
    OddAndEven,
}

/// From the pitch up.
pub(super) const RINGS: [Ring; 3] = [
    Ring {
        first: 101,
        blocks: 16,
        rows: 20,
        distance: 0.0,
        category: "A",
        numbering: Numbering::Through,
    },
    Ring {
        first: 201,
        blocks: 20,
        rows: 20,
        distance: 42.8,
        category: "B",
        numbering: Numbering::Through,
    },
    Ring {
        first: 301,
        blocks: 24,
        rows: 11,
        distance: 85.0,
        category: "C",
        numbering: Numbering::OddAndEven,
    },
];

impl Ring {
    /// Its blocks, with all their seats.
    pub(super) fn zones(&self) -> impl Iterator<Item = Zone> + '_ {
        (0..self.blocks).map(|block| Zone {
            name: (self.first + block).to_string(),
            position: Spot::default(),
            rows: (0..self.rows).map(|row| self.row(block, row)).collect(),
        })
    }

    fn row(&self, block: u32, row: u32) -> Row {
        let letter = char::from_u32('A' as u32 + row).expect("rows have letters").to_string();
        let curve = Curve::at(self.distance + f64::from(row) * ROW_PITCH);
        let arc = curve.length() / f64::from(self.blocks);
        let middle = -f64::from(block) * arc;
        let (left, right) = halves(arc, row);
        let offsets = offsets(left, right, row);
        let names = self.names(block, row, left, right);
        let seats =
            offsets.into_iter().zip(names).enumerate().map(|(place, (offset, number))| Seat {
                seat_guid: format!("{}-{letter}-{number}", self.first + block),
                seat_number: number,
                category: self.category,
                position: curve.point(middle + offset),
                wheelchair: self.has_wheelchairs(row)
                    && (left - WHEELCHAIRS..left + WHEELCHAIRS).contains(&place),
            });
        Row { seats: seats.collect(), row_number: letter, position: Spot::default() }
    }

    /// Nobody gets to the top ring without stairs.
    fn has_wheelchairs(&self, row: u32) -> bool {
        row == 0 && self.numbering == Numbering::Through
    }

    /// The numbers of a row, from left to right.
    fn names(&self, block: u32, row: u32, left: usize, right: usize) -> Vec<String> {
        match self.numbering {
            Numbering::Through => (1..=left + right).map(|number| number.to_string()).collect(),
            Numbering::OddAndEven => {
                let inserted = row == 2 && block.is_multiple_of(3);
                let odd = (0..left).map(|place| 2 * place + 1);
                let mut odd: Vec<String> = odd.map(|number| number.to_string()).collect();
                if inserted {
                    // The numbers beyond it move one seat outwards.
                    odd.insert(12, "23+1".into());
                    odd.truncate(left);
                }
                let even = (1..=right).map(|place| (2 * place).to_string());
                odd.into_iter().rev().chain(even).collect()
            }
        }
    }
}

/// How many seats a row has to the left and to the right of the stairs.
fn halves(arc: f64, row: u32) -> (usize, usize) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a row is some 70 seats"
    )]
    let seats = (arc - GANGWAY - STAIRS).floor() as usize;
    let taken = entrance(row);
    (seats.div_ceil(2) - taken, seats / 2 - taken)
}

/// How far each seat is from the middle of its block, along the row, from left to right.
fn offsets(left: usize, right: usize, row: u32) -> Vec<f64> {
    let taken = entrance(row);
    let from_stairs = |place: usize| STAIRS / 2.0 + 0.5 + (taken + place) as f64;
    let left = (0..left).rev().map(|place| -from_stairs(place));
    left.chain((0..right).map(from_stairs)).collect()
}

/// How many seats the entrance takes to either side of the stairs.
fn entrance(row: u32) -> usize {
    let (rows, seats) = ENTRANCE;
    if rows.contains(&row) { seats } else { 0 }
}
