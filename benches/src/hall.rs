//! The hall and the sale of the reference workload: sections of numbered seats, one price, one fee.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::event::Terms;
use taquilla_engine::id::{EventNumber, PlanId, SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;
use taquilla_persistence::catalogue::{NewEvent, NewSeat, NewSection, NewVenue, SectionRoom};
use uuid::Uuid;

use crate::scale::Scale;

/// So short that seats never run out: every overdue seat is taken again.
pub const HOLD_TTL: Duration = Duration::from_millis(50);
/// What the database takes as the shortest; only the API reads it there.
const HOLD_TTL_IN_CATALOGUE: Duration = Duration::from_secs(1);
const BUYER_SEATS_MAX: u32 = 6;
const ROW_SEATS: u32 = 40;
const OPENS_AT: Moment = Moment(0);
/// The year 2100.
const CLOSES_AT: Moment = Moment(4_102_444_800_000_000);

/// The hall as the catalogue takes it.
#[must_use]
pub fn venue(scale: &Scale) -> NewVenue {
    let section = |section: u16| NewSection {
        name: section_name(section),
        room: SectionRoom::Seated(
            (0..scale.section_seats).map(|seat| new_seat(section, seat)).collect(),
        ),
    };
    NewVenue {
        id: Uuid::from_u128(1),
        slug: "reference-hall".into(),
        name: "Reference hall".into(),
        city: "Sevilla".into(),
        country: "ES".into(),
        lat: 37.4,
        lon: -6.0,
        timezone: "Europe/Madrid".into(),
        hall: "main".into(),
        categories: Vec::new(),
        sections: (0..scale.sections).map(section).collect(),
    }
}

/// An event as the catalogue takes it; no two have the same number.
#[must_use]
pub fn event(scale: &Scale, number: u16) -> NewEvent {
    let mut random = [1; 11];
    random[..2].copy_from_slice(&number.to_be_bytes());
    NewEvent {
        random,
        slug: format!("reference-event-{number}"),
        name: "Reference event".into(),
        description: String::new(),
        category: "bench".into(),
        conditions: String::new(),
        artists: Vec::new(),
        starts_at: CLOSES_AT,
        currency: euro(),
        tiers: vec![tier()],
        section_tiers: vec![vec![0]; scale.sections.into()],
        fees: vec![fee()],
        sale: Sale { hold_ttl: HOLD_TTL_IN_CATALOGUE, ..sale() },
    }
}

/// The event's terms, for where there is no database.
#[must_use]
pub fn terms(scale: &Scale) -> Terms {
    let seats = scale.section_seats;
    let section = |section: u16| SectionPlan {
        name: section_name(section),
        kind: SectionKind::Seated { first: SeatIndex(u32::from(section) * seats), seats },
        tier: 0,
    };
    let rows: Vec<Arc<str>> = (0..=seats / ROW_SEATS).map(|row| row.to_string().into()).collect();
    let seat = |index: u32| {
        let section = u16::try_from(index / seats).expect("a hall has few sections");
        let (row, x, y) = position(section, index % seats);
        SeatPlan {
            label: seat_label(scale, index).into(),
            row: Arc::clone(&rows[row as usize]),
            x,
            y,
            section: SectionIndex(section),
            ..SeatPlan::default()
        }
    };
    let sections = (0..scale.sections).map(section).collect();
    let plan = Plan::new(vec![tier()], sections, (0..scale.seats()).map(seat).collect());
    Terms {
        event: EventNumber(1),
        plan_id: PlanId::default(),
        plan: Arc::new(plan),
        currency: euro(),
        fees: [fee()].into(),
        sale: sale(),
    }
}

fn sale() -> Sale {
    Sale {
        opens_at: OPENS_AT,
        closes_at: CLOSES_AT,
        hold_ttl: HOLD_TTL,
        buyer_seats_max: BUYER_SEATS_MAX,
        waiting_room: false,
        paused: false,
        verifying_extension: Duration::ZERO,
        cancelled: false,
    }
}

fn euro() -> Currency {
    Currency::parse("EUR").expect("three capitals")
}

fn tier() -> Tier {
    Tier { name: "all".into(), price: 9_000 }
}

fn fee() -> Fee {
    Fee { name: "service".into(), percent: 50_000, fixed: 100 }
}

fn section_name(section: u16) -> String {
    format!("S{section}")
}

/// What a seat is called, by its index.
#[must_use]
pub fn seat_label(scale: &Scale, index: u32) -> String {
    let section = u16::try_from(index / scale.section_seats).expect("a hall has few sections");
    label(section, index % scale.section_seats)
}

fn label(section: u16, seat: u32) -> String {
    format!("S{section}-{seat}")
}

/// The seat's row, and where it lies: sections side by side, rows one behind the other.
fn position(section: u16, seat: u32) -> (u32, f32, f32) {
    let (row, column) = (seat / ROW_SEATS, seat % ROW_SEATS);
    let aside = u32::from(section) * (ROW_SEATS + 2) + column;
    (row, aside as f32, row as f32)
}

fn new_seat(section: u16, seat: u32) -> NewSeat {
    let (row, x, y) = position(section, seat);
    NewSeat {
        label: label(section, seat),
        row: row.to_string().into(),
        seat: seat.to_string(),
        x,
        y,
        accessible: false,
        category: None,
        dropped: false,
    }
}
