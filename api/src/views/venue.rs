//! A venue as operators see it.

use serde::Serialize;
use taquilla_persistence::catalogue::Venue;
use utoipa::ToSchema;
use uuid::Uuid;

use super::seat_map::kind;

/// A venue and its sections.
#[derive(Serialize, ToSchema)]
#[schema(as = Venue)]
pub struct VenueView {
    /// Its id.
    pub venue_id: Uuid,
    /// Serves in the id's place.
    pub slug: String,
    /// Seats and places in all.
    pub capacity: u32,
    /// In the plan's order.
    pub sections: Vec<SectionView>,
}

/// A section of a venue.
#[derive(Serialize, ToSchema)]
#[schema(as = VenueSection)]
pub struct SectionView {
    /// Its name.
    pub section: String,
    /// `seated` or `general`.
    pub kind: &'static str,
    /// Seats or places.
    pub capacity: u32,
}

/// A venue in a list.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedVenue)]
pub struct ListedVenueView {
    /// What its maker was told.
    #[serde(flatten)]
    venue: VenueView,
    /// As printed.
    name: String,
    /// As printed.
    city: String,
    /// ISO 3166.
    country: String,
    /// Degrees.
    lat: f64,
    /// Degrees.
    lon: f64,
    /// An IANA name.
    timezone: String,
    /// Kinds of seats for `category_tiers`; none of a plan by rows.
    categories: Vec<String>,
}

/// Venues, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = VenueList)]
pub struct VenueListView {
    /// At most `limit`.
    pub items: Vec<ListedVenueView>,
    /// For `cursor`; null on the last page.
    pub next_cursor: Option<String>,
}

impl From<Venue> for ListedVenueView {
    fn from(venue: Venue) -> Self {
        Self {
            name: venue.name.clone(),
            city: venue.city.clone(),
            country: venue.country.clone(),
            lat: venue.lat,
            lon: venue.lon,
            timezone: venue.timezone.clone(),
            categories: venue.categories.clone(),
            venue: venue.into(),
        }
    }
}

impl From<Venue> for VenueView {
    fn from(venue: Venue) -> Self {
        let sections = venue.sections.iter().map(|section| SectionView {
            section: section.name.clone(),
            kind: kind(section.kind),
            capacity: section.capacity(),
        });
        Self {
            venue_id: venue.id,
            capacity: venue.capacity,
            sections: sections.collect(),
            slug: venue.slug,
        }
    }
}
