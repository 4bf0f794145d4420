//! What a shopper wants next, drawn from the shopper's own stream of the seed.

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::box_office::{BAR, FLOOR, Hall, OnSale, section_name};

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
    /// One of the seats or places is given back, and the rest is bought.
    BuyLess,
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

/// The body of a `POST /holds`. In a quarter of them fewer will do.
pub(super) fn hold(on_sale: &OnSale, draw: &mut StdRng) -> Value {
    let mut body = match draw.random_range(0..100) {
        0..15 => json!({"general": [some_places(draw)]}),
        15..30 => json!({"best_available": best(on_sale, draw)}),
        30..45 => json!({"seats": scattered(on_sale, draw)}),
        45..55 => json!({"seats": beside(on_sale, draw), "general": [some_places(draw)]}),
        _ => json!({"seats": beside(on_sale, draw)}),
    };
    body["event_id"] = on_sale.event_id.as_str().into();
    if draw.random_bool(0.25) {
        body["accept_fewer"] = true.into();
    }
    body
}

fn some_places(draw: &mut StdRng) -> Value {
    let section = if draw.random_bool(0.3) { BAR } else { FLOOR };
    places(section, draw.random_range(1..=SEATS_MAX))
}

/// So many places of a section.
pub(crate) fn places(section: &str, quantity: u32) -> Value {
    json!({"section": section, "quantity": quantity})
}

/// Anywhere, or in one section; side by side or not.
fn best(on_sale: &OnSale, draw: &mut StdRng) -> Value {
    let quantity = draw.random_range(1..=SEATS_MAX);
    let mut best = json!({"quantity": quantity, "adjacent": draw.random_bool(0.5)});
    if draw.random_bool(0.5) {
        best["section"] = section_name(draw.random_range(0..on_sale.hall.sections)).into();
    }
    best
}

/// Two to four seats of any sections.
fn scattered(on_sale: &OnSale, draw: &mut StdRng) -> Vec<String> {
    let hall = on_sale.hall;
    let mut seats = Vec::new();
    for _ in 0..draw.random_range(2..=SEATS_MAX) {
        let (section, row) = (draw.random_range(0..hall.sections), draw.random_range(0..hall.rows));
        let label = hall.label(section, row, draw.random_range(0..hall.row_seats));
        if !seats.contains(&label) {
            seats.push(label);
        }
    }
    seats
}

/// One to four seats side by side, half of them in the first section: a crowd wants the best.
fn beside(on_sale: &OnSale, draw: &mut StdRng) -> Vec<String> {
    let hall = on_sale.hall;
    let section = if draw.random_bool(0.5) { 0 } else { draw.random_range(0..hall.sections) };
    adjacent(hall, section, draw.random_range(1..=SEATS_MAX), draw)
}

/// So many seats side by side anywhere in a section, as far as a row has them.
pub(super) fn adjacent(hall: Hall, section: u32, quantity: u32, draw: &mut StdRng) -> Vec<String> {
    let row = draw.random_range(0..hall.rows);
    let quantity = quantity.min(hall.row_seats);
    let first = draw.random_range(0..=hall.row_seats - quantity);
    (first..first + quantity).map(|seat| hall.label(section, row, seat)).collect()
}

/// The query that gives one seat or place of this hold back.
pub(super) fn part(hold: &Value, draw: &mut StdRng) -> Option<String> {
    let items = hold["items"].as_array().filter(|items| !items.is_empty())?;
    let item = &items[draw.random_range(0..items.len())];
    if let Some(label) = item["seat"].as_str() {
        return Some(format!("seat={label}"));
    }
    let section = item["section"].as_str()?;
    let quantity = draw.random_range(1..=item["quantity"].as_u64()?);
    Some(format!("section={section}&quantity={quantity}"))
}

pub(super) fn intent(draw: &mut StdRng) -> Intent {
    match draw.random_range(0..100) {
        0..50 => Intent::Release,
        50..60 => Intent::Abandon,
        60..72 => Intent::BuyLess,
        72..88 => Intent::Buy,
        88..94 => Intent::Cancel,
        _ => Intent::BuyAfterDecline,
    }
}

/// A good card, now and then a slow one.
pub(super) fn method(draw: &mut StdRng) -> &'static str {
    if draw.random_bool(0.1) { "sim_slow" } else { "sim_ok" }
}

pub(super) fn slip(draw: &mut StdRng) -> Slip {
    match draw.random_range(0..100) {
        0..75 => Slip::Nothing,
        75..85 => Slip::Repeats,
        85..90 => Slip::ReusesKey,
        _ => Slip::Looks,
    }
}
