//! A venue as it is made: sections with their seats inside, so that a section's seats lie next to
//! each other in index order by construction.

use std::collections::BTreeSet;
use std::sync::Arc;

use uuid::Uuid;

use super::venue::{Venue, VenueSection};
use taquilla_engine::id::SeatIndex;
use taquilla_engine::plan::SectionKind;

/// What becomes a venue. Labels, section names and categories are unique in it by their canonical
/// form, which the caller has checked.
#[derive(Clone, Debug)]
pub struct NewVenue {
    /// Drawn by the caller.
    pub id: Uuid,
    /// Unique among venues.
    pub slug: String,
    /// As printed.
    pub name: String,
    /// As printed.
    pub city: String,
    /// Two capital letters, ISO 3166.
    pub country: String,
    /// Degrees, -90 to 90.
    pub lat: f64,
    /// Degrees, -180 to 180.
    pub lon: f64,
    /// An IANA name.
    pub timezone: String,
    /// Kinds of seats, by name; may be empty.
    pub categories: Vec<String>,
    /// In index order; at least one.
    pub sections: Vec<NewSection>,
}

/// One section of a new venue.
#[derive(Clone, Debug)]
pub struct NewSection {
    /// Unique in the venue.
    pub name: String,
    /// What is in it.
    pub room: SectionRoom,
}

/// What a section holds.
#[derive(Clone, Debug)]
pub enum SectionRoom {
    /// Numbered seats, in index order; at least one.
    Seated(Vec<NewSeat>),
    /// Places without number.
    General {
        /// How many; at least one.
        capacity: u32,
    },
}

/// One seat of a new venue.
#[derive(Clone, Debug)]
pub struct NewSeat {
    /// Unique in the venue.
    pub label: String,
    /// The row's name; its seats share it.
    pub row: Arc<str>,
    /// The seat's name in its row.
    pub seat: String,
    /// On the plan, in its own unit.
    pub x: f32,
    /// On the plan, in its own unit.
    pub y: f32,
    /// Fit for a wheelchair.
    pub accessible: bool,
    /// Its place in the venue's list; all seats of a section have one, or none has.
    pub category: Option<u16>,
}

impl NewVenue {
    /// The venue that this makes.
    pub(super) fn venue(&self) -> Venue {
        let mut first = 0;
        let sections: Vec<VenueSection> = self
            .sections
            .iter()
            .map(|section| {
                let kind = match &section.room {
                    SectionRoom::Seated(seats) => {
                        let seats = u32::try_from(seats.len()).expect("seats are indexed by u32");
                        SectionKind::Seated { first: SeatIndex(first), seats }
                    }
                    SectionRoom::General { capacity } => {
                        SectionKind::General { capacity: *capacity }
                    }
                };
                let categories = section.categories();
                let section = VenueSection { name: section.name.clone(), kind, categories };
                if let SectionKind::Seated { seats, .. } = kind {
                    first += seats;
                }
                section
            })
            .collect();
        Venue {
            id: self.id,
            slug: self.slug.clone(),
            name: self.name.clone(),
            city: self.city.clone(),
            country: self.country.clone(),
            lat: self.lat,
            lon: self.lon,
            timezone: self.timezone.clone(),
            categories: self.categories.clone(),
            capacity: sections.iter().map(VenueSection::capacity).sum(),
            sections,
        }
    }
}

impl NewSection {
    /// Those that its seats have.
    fn categories(&self) -> Vec<u16> {
        match &self.room {
            SectionRoom::Seated(seats) => {
                let categories: BTreeSet<u16> = seats.iter().filter_map(|it| it.category).collect();
                categories.into_iter().collect()
            }
            SectionRoom::General { .. } => Vec::new(),
        }
    }
}
