//! What an operator does before the doors open: a hall, and an event in it.

use serde_json::{Value, json};

use crate::DrillError;
use crate::client::{Buyer, Request};

/// A section without seats, large enough not to sell out.
pub const FLOOR: &str = "FLOOR";
/// A section without seats that is always nearly full.
pub const BAR: &str = "BAR";
const FLOOR_PLACES: u32 = 20_000;
const BAR_PLACES: u32 = 40;

/// A hall of equal sections, and the rules of its sale.
#[derive(Debug, Clone, Copy)]
pub struct Hall {
    /// Seated sections.
    pub sections: u32,
    /// Rows of each.
    pub rows: u32,
    /// Seats of a row.
    pub row_seats: u32,
    /// How long a hold lives.
    pub hold_ttl_seconds: u32,
    /// How many seats a buyer may have.
    pub buyer_seats_max: u32,
}

/// An event that is on sale.
#[derive(Debug, Clone)]
pub struct OnSale {
    /// Its id.
    pub event_id: String,
    /// Where it takes place.
    pub hall: Hall,
}

impl Hall {
    /// The label of a seat, all counted from 0.
    #[must_use]
    pub fn label(&self, section: u32, row: u32, seat: u32) -> String {
        format!("{}-{}-{}", section_name(section), row_name(row), seat + 1)
    }

    /// Makes the hall and an event in it that sells at once.
    ///
    /// # Errors
    /// [`DrillError::Broken`] if the operator is refused.
    pub async fn open(self, operator: &Buyer) -> Result<OnSale, DrillError> {
        let venue = made(operator, "/admin/venues", self.venue()).await?;
        let event = made(operator, "/admin/events", self.event(&venue["venue_id"])).await?;
        let event_id = event["event_id"].as_str().map(str::to_owned);
        let event_id = event_id.ok_or_else(|| DrillError::Broken(format!("no id: {event}")))?;
        Ok(OnSale { event_id, hall: self })
    }

    fn venue(self) -> Value {
        let row = |row| json!({"row": row_name(row), "seats": self.row_seats});
        let rows: Vec<Value> = (0..self.rows).map(row).collect();
        let seated =
            |section| json!({"section": section_name(section), "kind": "seated", "rows": rows});
        let general = [(FLOOR, FLOOR_PLACES), (BAR, BAR_PLACES)];
        let general = general.map(|(section, capacity)| {
            json!({"section": section, "kind": "general", "capacity": capacity})
        });
        let sections: Vec<Value> = (0..self.sections).map(seated).chain(general).collect();
        venue("Hall", "hall", sections)
    }

    fn event(self, venue_id: &Value) -> Value {
        let seated = (0..self.sections).map(|section| (section_name(section), "A"));
        let general = [(FLOOR.to_owned(), "B"), (BAR.to_owned(), "B")];
        let tiers: serde_json::Map<String, Value> =
            seated.chain(general).map(|(section, tier)| (section, tier.into())).collect();
        json!({
            "venue_id": venue_id, "name": "Noche", "slug": "noche", "description": "A drill.",
            "category": "rock", "artists": ["Ana"], "starts_at": "2099-06-01T19:00:00Z",
            "currency": "EUR",
            "price_tiers": [{"tier": "A", "amount": 9_000}, {"tier": "B", "amount": 4_500}],
            "section_tiers": tiers,
            "fees": [{"name": "service", "percent": "5.00", "fixed": 100}],
            "sale": {
                "hold_ttl_seconds": self.hold_ttl_seconds,
                "max_seats_per_buyer": self.buyer_seats_max,
            },
        })
    }
}

/// A venue with these sections, as an operator makes it.
pub(crate) fn venue(name: &str, slug: &str, sections: Vec<Value>) -> Value {
    json!({
        "name": name, "slug": slug, "city": "Sevilla", "country": "ES", "lat": 37.4,
        "lon": -5.9, "timezone": "Europe/Madrid",
        "plan": {"format": "rows", "sections": sections},
    })
}

/// What this makes.
pub(crate) async fn made(operator: &Buyer, path: &str, body: Value) -> Result<Value, DrillError> {
    let request = Request::make(path, body);
    let refused = |answer| DrillError::Broken(format!("POST {path}: {answer:?}"));
    let answer = operator.ask(&request).await.map_err(|it| refused(it.last))?;
    if answer.status == Some(201) { Ok(answer.body) } else { Err(refused(answer)) }
}

/// What a seated section is called, counted from 0.
pub(crate) fn section_name(section: u32) -> String {
    format!("S{}", section + 1)
}

/// Rows are called R1 and so on: a hall may have more of them than there are letters.
fn row_name(row: u32) -> String {
    format!("R{}", row + 1)
}
