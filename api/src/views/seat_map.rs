//! The geometry of an event's plan.

use serde::Serialize;
use taquilla_engine::event::Terms;
use taquilla_engine::plan::SectionKind;
use taquilla_persistence::catalogue::{EventRecord, SeatGeometry};
use utoipa::ToSchema;

/// Sections, and seats in index order. A section of no capacity is none: the event's plan has dropped it.
#[derive(Serialize, ToSchema)]
#[schema(as = SeatMap)]
pub struct SeatMapView {
    sections: Vec<MapSection>,
    seats: Vec<MapSeat>,
}

#[derive(Serialize, ToSchema)]
struct MapSection {
    section: String,
    /// `seated` or `general`.
    kind: &'static str,
    capacity: u32,
}

#[derive(Serialize, ToSchema)]
struct MapSeat {
    label: String,
    section: String,
    row: String,
    seat: String,
    /// In the plan's own unit, from left to right.
    x: f32,
    /// In the plan's own unit, from top to bottom.
    y: f32,
    tier: String,
    /// Present, and true, where a wheelchair fits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    accessible: bool,
    /// Present, and true, of a seat that the event's plan has dropped: it keeps its index, as blocked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    dropped: bool,
}

impl SeatMapView {
    /// The map of these terms. `geometry` is in index order, as the plan's seats are; sections are as
    /// listed, since capacities may be other ones by now.
    #[must_use]
    pub fn of(terms: &Terms, event: &EventRecord, geometry: Vec<SeatGeometry>) -> Self {
        let plan = &terms.plan;
        let sections = event.sections.iter().map(|section| MapSection {
            section: section.name.clone(),
            kind: kind(section.kind),
            capacity: section.capacity,
        });
        let seats = geometry.into_iter().zip(plan.seats()).map(|(seat, planned)| MapSeat {
            label: seat.label,
            section: plan.section(planned.section).name.clone(),
            row: seat.row,
            seat: seat.seat,
            x: seat.x,
            y: seat.y,
            tier: plan.tiers()[usize::from(planned.tier)].name.clone(),
            accessible: seat.accessible,
            dropped: seat.dropped,
        });
        Self { sections: sections.collect(), seats: seats.collect() }
    }
}

/// A section's kind as everybody sees it.
#[must_use]
pub(super) fn kind(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Seated { .. } => "seated",
        SectionKind::General { .. } => "general",
    }
}
