//! What is free, in two forms: JSON, and the binary form of `docs/availability.md`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use taquilla_engine::event::{Availability, Terms};
use taquilla_engine::id::{SeatIndex, Sequence};
use taquilla_engine::moment::Moment;
use taquilla_engine::plan::SectionKind;
use utoipa::ToSchema;

use crate::instant::Instant;

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
    /// When the map was known to be so: not long ago, unless the event has no owner at present.
    pub as_of: Instant,
    /// Base64 of two bits a seat, in index order, least significant first: 0 available, 1 held,
    /// 2 sold, 3 blocked.
    pub seats: String,
    /// Places left in each general section.
    pub general: Vec<GeneralView>,
}

/// What `GET …/availability` answers as JSON.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum AvailabilityAnswer {
    /// Without `since`, or when that is too long ago.
    Whole(AvailabilityView),
    /// With `since`.
    Changes(ChangesView),
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

/// What has changed since a version.
#[derive(Serialize, ToSchema)]
#[schema(as = AvailabilityChanges)]
pub struct ChangesView {
    /// What the caller has.
    pub from: i64,
    /// What he has then.
    pub to: i64,
    /// When the map was known to be so.
    pub as_of: Instant,
    /// Each changed seat's index, and its state now: 0 available, 1 held, 2 sold, 3 blocked.
    pub changes: Vec<(u32, u8)>,
    /// Places left in each general section, changed or not.
    pub general: Vec<GeneralView>,
}

impl AvailabilityView {
    /// The version as JSON.
    #[must_use]
    pub fn of(map: &Availability, as_of: Moment, terms: &Terms) -> Self {
        Self {
            version: map.version.0,
            as_of: Instant(as_of),
            seats: STANDARD.encode(&map.packed),
            general: general_views(map, terms),
        }
    }
}

impl ChangesView {
    /// These changes, which make this map.
    #[must_use]
    pub fn of(
        since: Sequence,
        changes: Vec<(SeatIndex, u8)>,
        map: &Availability,
        as_of: Moment,
        terms: &Terms,
    ) -> Self {
        Self {
            from: since.0,
            to: map.version.0,
            as_of: Instant(as_of),
            changes: changes.into_iter().map(|(seat, state)| (seat.0, state)).collect(),
            general: general_views(map, terms),
        }
    }
}

fn general_views(map: &Availability, terms: &Terms) -> Vec<GeneralView> {
    let general = general(map, terms);
    general.map(|(section, available)| GeneralView { section, available }).collect()
}

/// The version in the binary form.
#[must_use]
pub fn binary_availability(map: &Availability, as_of: Moment, terms: &Terms) -> Vec<u8> {
    let seats = u32::try_from(terms.plan.seats().len()).expect("a plan's seats fit");
    let mut bytes = Vec::with_capacity(64 + map.packed.len());
    bytes.extend(MAGIC);
    bytes.extend([FORMAT_VERSION, 0, 0, 0]);
    bytes.extend(map.version.0.to_le_bytes());
    bytes.extend(as_of.0.to_le_bytes());
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use taquilla_engine::event::availability::SectionCount;
    use taquilla_engine::id::{EventNumber, PlanId};
    use taquilla_engine::money::Currency;
    use taquilla_engine::plan::{Plan, SeatPlan, SectionPlan, Tier};
    use taquilla_engine::sale::Sale;

    use super::*;

    /// Five seats in `A`, ten places in `FLOOR`.
    fn terms() -> Terms {
        let seated = SectionKind::Seated { first: SeatIndex(0), seats: 5 };
        let section = |name: &str, kind| SectionPlan { name: name.into(), kind, tier: 0 };
        let sections =
            vec![section("A", seated), section("FLOOR", SectionKind::General { capacity: 10 })];
        let seat = |n| SeatPlan { label: format!("A-1-{n}").into(), ..SeatPlan::default() };
        let tiers = vec![Tier { name: "gold".into(), price: 1 }];
        Terms {
            event: EventNumber(1),
            plan_id: PlanId::default(),
            plan: Arc::new(Plan::new(tiers, sections, (1..=5).map(seat).collect())),
            currency: Currency::parse("EUR").expect("a code"),
            fees: Arc::new([]),
            sale: Sale {
                opens_at: Moment(0),
                closes_at: Moment(1),
                hold_ttl: Duration::from_secs(1),
                buyer_seats_max: 1,
                waiting_room: false,
                paused: false,
                verifying_extension: Duration::ZERO,
                cancelled: false,
            },
        }
    }

    #[test]
    fn the_binary_form_is_the_one_of_the_docs() {
        let count = |available| SectionCount { available, ..SectionCount::default() };
        let map = Availability {
            version: Sequence(3),
            as_of: Instant::parse("2027-06-01T19:00:00Z").expect("an instant").0,
            changed_at: Moment(0),
            packed: vec![0b0000_0100, 0b10],
            sections: vec![count(3), count(10)],
        };
        let bytes = binary_availability(&map, map.as_of, &terms());
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let docs = include_str!("../../../docs/availability.md");
        let (_, example) = docs.split_once("2027-06-01T19:00:00Z:\n\n```\n").expect("an example");
        let words = example.lines().take(6).flat_map(|line| line[..26].split_whitespace());
        assert_eq!(hex, words.collect::<Vec<_>>());
    }
}
