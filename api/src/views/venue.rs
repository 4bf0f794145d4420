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
