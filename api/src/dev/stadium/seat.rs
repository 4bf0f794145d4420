//! Rows and seats as a layout has them.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) row_number: String,
    pub(super) position: Spot,
    pub(super) seats: Vec<Seat>,
}

#[derive(Debug, Serialize)]
pub(super) struct Seat {
    pub(super) seat_guid: String,
    pub(super) seat_number: String,
    pub(super) category: &'static str,
    pub(super) position: Spot,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) wheelchair: bool,
}

/// A place on the plan; the stage is at (0, 0), y grows downwards.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Spot {
    /// To a hundredth of a seat: it keeps the last digits of a cosine out of the plan.
    pub(super) fn rounded(x: f64, y: f64) -> Self {
        let rounded = |length: f64| (length * 100.0).round() / 100.0;
        Self { x: rounded(x), y: rounded(y) }
    }
}
