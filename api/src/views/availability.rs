//! What is free, in two forms: JSON, and the binary form of `docs/availability.md`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use taquilla_engine::event::{Availability, Terms};
use taquilla_engine::plan::SectionKind;
use utoipa::ToSchema;

use super::Instant;

/// First in the binary form.
const MAGIC: [u8; 4] = *b"TQAV";

/// Raised with any change of the bytes that follow.
const FORMAT_VERSION: u8 = 1;

/// One published version of the map.
#[derive(Serialize, ToSchema)]
#[schema(as = Availability)]
pub struct AvailabilityView {
    /// Grows from one version to the next.
    pub version: i64,
    /// When it was published.
    pub as_of: Instant,
    /// Base64 of two bits a seat, in index order, least significant first: 0 available, 1 held,
    /// 2 sold, 3 blocked.
    pub seats: String,
    /// Places left in each general section.
    pub general: Vec<GeneralView>,
}

/// Places left in a general section.
#[derive(Serialize, ToSchema)]
#[schema(as = GeneralAvailability)]
pub struct GeneralView {
    /// Its name.
    pub section: String,
    /// How many places are left.
    pub available: u32,
}

impl AvailabilityView {
    /// The version as JSON.
    #[must_use]
    pub fn of(map: &Availability, terms: &Terms) -> Self {
        let general = general(map, terms);
        Self {
            version: map.version.0,
            as_of: Instant(map.as_of),
            seats: STANDARD.encode(&map.packed),
            general: general
                .map(|(section, available)| GeneralView { section, available })
                .collect(),
        }
    }
}

/// The version in the binary form.
#[must_use]
pub fn binary_availability(map: &Availability, terms: &Terms) -> Vec<u8> {
    let seats = u32::try_from(terms.plan.seats().len()).expect("a plan's seats fit");
    let mut bytes = Vec::with_capacity(64 + map.packed.len());
    bytes.extend(MAGIC);
    bytes.extend([FORMAT_VERSION, 0, 0, 0]);
    bytes.extend(map.version.0.to_le_bytes());
    bytes.extend(map.as_of.0.to_le_bytes());
    bytes.extend(seats.to_le_bytes());
    let counts: Vec<u32> = general(map, terms).map(|(_, available)| available).collect();
    bytes.extend(u32::try_from(counts.len()).expect("sections fit").to_le_bytes());
    bytes.extend(&map.packed);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(counts.into_iter().flat_map(u32::to_le_bytes));
    bytes
}

/// General sections with what is left, in the plan's order.
fn general(map: &Availability, terms: &Terms) -> impl Iterator<Item = (String, u32)> {
    let sections = terms.plan.sections().iter().zip(&map.sections);
    sections.filter_map(|(section, count)| match section.kind {
        SectionKind::General { .. } => Some((section.name.clone(), count.available)),
        SectionKind::Seated { .. } => None,
    })
}
