//! The house of the opening: so many seats and no more, four fifths of them in rows, the rest places to stand.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::DrillError;
use crate::box_office::{FLOOR, made, venue};
use crate::client::{Buyer, Request};

const ROW_SEATS: u32 = 40;
/// A section has about so many.
const SECTION_SEATS: u32 = 1_000;
/// How many a buyer may have: as many as one asks for.
pub(super) const BUYER_SEATS_MAX: u32 = 4;

/// A house of so many seats.
#[derive(Debug, Clone, Copy)]
pub(super) struct House {
    pub(super) seats: u32,
    pub(super) hold_ttl_seconds: u32,
}

impl House {
    /// Makes the house and two events in it, each with a waiting room: the one that everybody waits for,
    /// and one that opens at once. Returns their ids.
    pub(super) async fn open(
        self,
        operator: &Buyer,
        opens_at: DateTime<Utc>,
    ) -> Result<[String; 2], DrillError> {
        let venue = made(operator, "/admin/venues", self.venue()).await?;
        let mut ids = Vec::new();
        for (slug, opens_at) in [("noche", opens_at), ("otra", Utc::now())] {
            let event = self.event(&venue["venue_id"], slug, opens_at);
            let event = made(operator, "/admin/events", event).await?;
            ids.push(event["event_id"].as_str().unwrap_or_default().to_owned());
        }
        ids.try_into().map_err(|ids| DrillError::Broken(format!("no ids: {ids:?}")))
    }

    /// Seats in rows.
    fn seated(self) -> u32 {
        self.seats / 5 * 4
    }

    fn sections(self) -> u32 {
        (self.seated() / SECTION_SEATS).max(1)
    }

    /// Of this section, counted from 0.
    fn section_seats(self, section: u32) -> u32 {
        let (seats, sections) = (self.seated(), self.sections());
        seats / sections + u32::from(section < seats % sections)
    }

    /// Some seats side by side, as these numbers choose.
    pub(super) fn beside(self, numbers: [u64; 3], count: u32) -> Vec<String> {
        let pick = |number: u64, of: u32| u32::try_from(number % u64::from(of)).unwrap_or(0);
        let section = pick(numbers[0], self.sections());
        let rows = self.section_seats(section).div_ceil(ROW_SEATS);
        let row = pick(numbers[1], rows);
        let seats = row_seats(self.section_seats(section), row);
        let first = pick(numbers[2], seats.saturating_sub(count) + 1);
        let seat = |seat: u32| format!("S{}-R{}-{}", section + 1, row + 1, seat + 1);
        (first..(first + count).min(seats)).map(seat).collect()
    }

    fn venue(self) -> Value {
        let seated = (0..self.sections()).map(|section| {
            let seats = self.section_seats(section);
            let rows = (0..seats.div_ceil(ROW_SEATS))
                .map(|row| json!({"row": format!("R{}", row + 1), "seats": row_seats(seats, row)}));
            let rows: Vec<Value> = rows.collect();
            json!({"section": format!("S{}", section + 1), "kind": "seated", "rows": rows})
        });
        let places = self.seats - self.seated();
        let floor = json!({"section": FLOOR, "kind": "general", "capacity": places});
        let sections: Vec<Value> = seated.chain([floor]).collect();
        venue("Estadio", "estadio", sections)
    }

    fn event(self, venue_id: &Value, slug: &str, opens_at: DateTime<Utc>) -> Value {
        let names = (0..self.sections()).map(|section| format!("S{}", section + 1));
        let tiers = names.map(|name| (name, "A".into())).chain([(FLOOR.to_owned(), "B".into())]);
        let tiers: serde_json::Map<String, Value> = tiers.collect();
        json!({
            "venue_id": venue_id, "name": slug, "slug": slug, "description": "An opening.",
            "category": "rock", "artists": ["Ana"], "starts_at": "2099-06-01T19:00:00Z",
            "currency": "EUR",
            "price_tiers": [{"tier": "A", "amount": 9_000}, {"tier": "B", "amount": 4_500}],
            "section_tiers": tiers,
            "fees": [{"name": "service", "percent": "5.00", "fixed": 100}],
            "sale": {
                "opens_at": stamp(opens_at), "hold_ttl_seconds": self.hold_ttl_seconds,
                "max_seats_per_buyer": BUYER_SEATS_MAX, "waiting_room": true,
            },
        })
    }
}

/// The sale opens at this instant.
pub(super) async fn open_at(
    operator: &Buyer,
    event: &str,
    opens_at: DateTime<Utc>,
) -> Result<(), DrillError> {
    let body = json!({"sale": {"opens_at": stamp(opens_at)}});
    let request = Request::patch(format!("/admin/events/{event}"), body);
    let answer = operator.ask(&request).await?;
    if answer.is_success() {
        return Ok(());
    }
    Err(DrillError::Broken(format!("the opening is not moved: {answer:?}")))
}

fn row_seats(section_seats: u32, row: u32) -> u32 {
    (section_seats - row * ROW_SEATS).min(ROW_SEATS)
}

fn stamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::House;

    #[test]
    fn a_house_has_as_many_seats_as_it_says() {
        for seats in [5, 400, 600, 1_337, 60_000] {
            let house = House { seats, hold_ttl_seconds: 60 };
            let in_rows: u32 = (0..house.sections()).map(|it| house.section_seats(it)).sum();
            assert_eq!(in_rows, house.seated());
            let plan = house.venue();
            let sections = plan["plan"]["sections"].as_array().expect("sections");
            let of_rows = |section: &serde_json::Value| -> u64 {
                let rows = section["rows"].as_array().into_iter().flatten();
                rows.filter_map(|row| row["seats"].as_u64()).sum::<u64>()
                    + section["capacity"].as_u64().unwrap_or(0)
            };
            assert_eq!(sections.iter().map(of_rows).sum::<u64>(), u64::from(seats));
        }
    }
}
