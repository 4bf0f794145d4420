//! An event in a list.

use serde::Serialize;
use taquilla_engine::event::Availability;
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{Artist, EventRecord, VenueSummary};
use utoipa::ToSchema;
use uuid::Uuid;

use super::sections;
use crate::instant::Instant;
use crate::views::MoneyView;

/// Below this part of all seats, few are left.
const FEW_DIVISOR: u32 = 10;

/// An event in a list.
#[derive(Serialize, ToSchema)]
#[schema(as = EventSummary)]
pub struct EventSummaryView {
    #[serde(flatten)]
    listed: ListedEvent,
    sale: SaleSummaryView,
}

/// What a list and an event's page have in common.
#[derive(Serialize, ToSchema)]
pub(super) struct ListedEvent {
    event_id: Uuid,
    slug: String,
    name: String,
    category: String,
    starts_at: Instant,
    venue: VenueSummaryView,
    artists: Vec<ArtistView>,
    /// The cheapest seat or place.
    from_price: MoneyView,
    /// `plenty`, `few` or `none`; a hint that may lag.
    availability: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = VenueSummary)]
struct VenueSummaryView {
    venue_id: Uuid,
    slug: String,
    name: String,
    city: String,
    country: String,
    lat: f64,
    lon: f64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Artist)]
struct ArtistView {
    artist_id: Uuid,
    slug: String,
    name: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SaleSummary)]
struct SaleSummaryView {
    /// `scheduled`, `open`, `paused`, `closed` or `cancelled`.
    status: &'static str,
    opens_at: Instant,
}

impl EventSummaryView {
    /// The listing at this instant, with the event's latest map.
    #[must_use]
    pub fn of(event: &EventRecord, map: Option<&Availability>, now: Moment) -> Self {
        let sale = &event.summary.sale;
        Self {
            listed: ListedEvent::of(event, map),
            sale: SaleSummaryView {
                status: sale.status(now).code(),
                opens_at: Instant(sale.opens_at),
            },
        }
    }
}

impl ListedEvent {
    pub(super) fn of(event: &EventRecord, map: Option<&Availability>) -> Self {
        let summary = &event.summary;
        Self {
            event_id: summary.id.uuid(),
            slug: summary.slug.clone(),
            name: summary.name.clone(),
            category: summary.category.clone(),
            starts_at: Instant(summary.starts_at),
            venue: VenueSummaryView::from(&summary.venue),
            artists: summary.artists.iter().map(ArtistView::from).collect(),
            from_price: summary.from_price.into(),
            availability: hint(event, map),
        }
    }
}

fn hint(event: &EventRecord, map: Option<&Availability>) -> &'static str {
    let available: u32 = sections(event, map).iter().map(|section| section.available).sum();
    match available {
        0 => "none",
        few if few < event.summary.capacity / FEW_DIVISOR => "few",
        _ => "plenty",
    }
}

impl From<&VenueSummary> for VenueSummaryView {
    fn from(venue: &VenueSummary) -> Self {
        Self {
            venue_id: venue.id,
            slug: venue.slug.clone(),
            name: venue.name.clone(),
            city: venue.city.clone(),
            country: venue.country.clone(),
            lat: venue.lat,
            lon: venue.lon,
        }
    }
}

impl From<&Artist> for ArtistView {
    fn from(artist: &Artist) -> Self {
        Self { artist_id: artist.id, slug: artist.slug.clone(), name: artist.name.clone() }
    }
}
