//! What a shopper wants next, drawn from the shopper's own stream of the seed.

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::box_office::{BAR, FLOOR, OnSale};

/// Adjacent seats of one hold, at most.
const SEATS_MAX: u32 = 4;

/// What becomes of a hold once it is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Release,
    /// Left to its end.
    Abandon,
    Buy,
    /// Ordered, and cancelled before it is paid.
    Cancel,
    /// A card that is declined, then a good one.
    BuyAfterDecline,
}

/// A thing that a careless client does now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    Nothing,
    /// The same request once more.
    Repeats,
    /// Another request under the same key.
    ReusesKey,
    /// A look at the hold, and at all of one's own.
    Looks,
}

/// The body of a `POST /holds`: mostly 1 to 4 adjacent seats, half of them in the first section, for
/// a crowd wants the best; else some places.
pub(super) fn hold(on_sale: &OnSale, draw: &mut StdRng) -> Value {
    let event_id = &on_sale.event_id;
    if draw.random_bool(0.2) {
        let section = if draw.random_bool(0.3) { BAR } else { FLOOR };
        let quantity = draw.random_range(1..=SEATS_MAX);
        return json!({
            "event_id": event_id, "general": [{"section": section, "quantity": quantity}],
        });
    }
    let hall = on_sale.hall;
    let section = if draw.random_bool(0.5) { 0 } else { draw.random_range(0..hall.sections) };
    let row = draw.random_range(0..hall.rows);
    let quantity = draw.random_range(1..=SEATS_MAX.min(hall.row_seats));
    let first = draw.random_range(0..=hall.row_seats - quantity);
    let seats: Vec<_> =
        (first..first + quantity).map(|seat| hall.label(section, row, seat)).collect();
    json!({"event_id": event_id, "seats": seats})
}

pub(super) fn intent(draw: &mut StdRng) -> Intent {
    match draw.random_range(0..100) {
        0..55 => Intent::Release,
        55..65 => Intent::Abandon,
        65..88 => Intent::Buy,
        88..94 => Intent::Cancel,
        _ => Intent::BuyAfterDecline,
    }
}

pub(super) fn slip(draw: &mut StdRng) -> Slip {
    match draw.random_range(0..100) {
        0..75 => Slip::Nothing,
        75..85 => Slip::Repeats,
        85..90 => Slip::ReusesKey,
        _ => Slip::Looks,
    }
}
