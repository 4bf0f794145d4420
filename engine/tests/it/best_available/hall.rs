//! A hall drawn by its rows.
//!
//! ```text
//! A ..#. aa     a row's name, then its seats from left to right
//! ```
//! `.` is free, `#` taken, `a` free and accessible, a digit free and of that tier (else it is tier
//! 0), a blank a gangway one seat wide. A chosen seat is shown as `o`.

use taquilla_engine::seating::{Seating, Spot, Stage};

/// From row to row, and from the stage to the first, in seats.
const ROW_PITCH: f32 = 1.2;
const FRONT: f32 = 4.0;

/// A seat of a hall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seat {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) tier: u16,
    pub(super) accessible: bool,
    pub(super) taken: bool,
}

/// Seats in index order.
#[derive(Clone, Debug)]
pub(super) struct Hall {
    names: Vec<String>,
    pictures: Vec<String>,
    pub(super) seats: Vec<Seat>,
    /// How wide a seat is drawn.
    pub(super) pitch: f32,
    /// Rows are arcs around the stage.
    pub(super) is_bent: bool,
}

impl Hall {
    pub(super) fn drawn<S: AsRef<str>>(rows: &[S]) -> Self {
        let parts = rows.iter().map(|row| row.as_ref().split_once(' ').unwrap());
        let (names, pictures): (Vec<String>, Vec<String>) =
            parts.map(|(name, seats)| (name.to_owned(), seats.trim_end().to_owned())).unzip();
        let mut seats = Vec::new();
        for (row, picture) in pictures.iter().enumerate() {
            let drawn = picture.chars().enumerate().filter(|(_, seat)| *seat != ' ');
            seats.extend(drawn.map(|(column, seat)| Seat {
                row,
                column,
                tier: seat.to_digit(10).unwrap_or(0) as u16,
                accessible: seat == 'a',
                taken: seat == '#',
            }));
        }
        Self { names, pictures, seats, pitch: 1.0, is_bent: false }
    }

    /// The same hall with its seats in this order of index.
    pub(super) fn renumbered(&self, seats: Vec<Seat>) -> Self {
        Self { seats, ..self.clone() }
    }

    pub(super) fn is_taken(&self, place: u32) -> bool {
        self.seats[place as usize].taken
    }

    pub(super) fn spots(&self) -> Vec<Spot> {
        let width = self.pictures.iter().map(String::len).max().unwrap_or_default();
        let spot = |seat: &Seat| {
            let aside = seat.column as f32 - (width - 1) as f32 / 2.0;
            let back = FRONT + seat.row as f32 * ROW_PITCH;
            let (x, y) = if self.is_bent {
                let radius = FRONT + back;
                let angle = aside / radius;
                (radius * angle.sin(), radius * angle.cos())
            } else {
                (aside, back)
            };
            Spot {
                row: self.names[seat.row].as_str().into(),
                x: x * self.pitch,
                y: y * self.pitch,
                tier: seat.tier,
                accessible: seat.accessible,
            }
        };
        self.seats.iter().map(spot).collect()
    }

    pub(super) fn seating(&self) -> Seating {
        Seating::new(&self.spots(), Stage { focus: (0.0, 0.0), seat_pitch: self.pitch })
    }

    /// The rows with these seats marked.
    pub(super) fn picture(&self, chosen: &[u32]) -> Vec<String> {
        let mut rows: Vec<Vec<char>> =
            self.pictures.iter().map(|picture| picture.chars().collect()).collect();
        for place in chosen {
            let seat = self.seats[*place as usize];
            rows[seat.row][seat.column] = 'o';
        }
        rows.into_iter().map(String::from_iter).collect()
    }
}
