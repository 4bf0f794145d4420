//! A venue as it is made, and a plan of one: sections with their seats inside, so that a section's seats lie next to
//! each other in index order by construction.

use std::collections::BTreeSet;
use std::sync::Arc;

use uuid::Uuid;

use super::seating_plan::{PlanSection, SeatingPlan};
use super::venue::Venue;
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
    /// What its first hall is called.
    pub hall: String,
    /// Kinds of seats, by name; may be empty.
    pub categories: Vec<String>,
    /// In index order; at least one.
    pub sections: Vec<NewSection>,
}

/// What becomes a plan of a venue that is there. Checked by the caller as that of a new venue, and that
/// sections, seats and categories which the hall's version before has stand where they stood.
#[derive(Clone, Debug)]
pub struct NewPlan {
    /// Drawn by the caller.
    pub id: Uuid,
    /// Of which venue.
    pub venue: Uuid,
    /// A new hall's name, or that of one that is there, as it was first given.
    pub hall: String,
    /// 1 for a new hall, otherwise the next.
    pub version: u32,
    /// Kinds of seats, by name; may be empty.
    pub categories: Vec<String>,
    /// In index order; at least one.
    pub sections: Vec<NewSection>,
}

/// One section of a new plan.
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
        /// How many; none in a section that this version lacks.
        capacity: u32,
    },
}

/// One seat of a new plan.
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
    /// Its place in the plan's list; all seats of a section that are there have one, or none has.
    pub category: Option<u16>,
    /// An earlier version of the hall had it, and this one has not.
    pub dropped: bool,
}

impl NewVenue {
    /// The venue that this makes. Its first plan goes by its own id.
    pub(super) fn venue(&self) -> Venue {
        Venue {
            id: self.id,
            slug: self.slug.clone(),
            name: self.name.clone(),
            city: self.city.clone(),
            country: self.country.clone(),
            lat: self.lat,
            lon: self.lon,
            timezone: self.timezone.clone(),
            plan: plan(self.id, &self.hall, 1, &self.categories, &self.sections),
        }
    }
}

impl NewPlan {
    /// The plan that this makes.
    pub(super) fn plan(&self) -> SeatingPlan {
        plan(self.id, &self.hall, self.version, &self.categories, &self.sections)
    }
}

fn plan(
    id: Uuid,
    hall: &str,
    version: u32,
    categories: &[String],
    sections: &[NewSection],
) -> SeatingPlan {
    let mut first = 0;
    let sections: Vec<PlanSection> = sections
        .iter()
        .map(|section| {
            let kind = match &section.room {
                SectionRoom::Seated(seats) => {
                    let seats = u32::try_from(seats.len()).expect("seats are indexed by u32");
                    SectionKind::Seated { first: SeatIndex(first), seats }
                }
                SectionRoom::General { capacity } => SectionKind::General { capacity: *capacity },
            };
            if let SectionKind::Seated { seats, .. } = kind {
                first += seats;
            }
            let (capacity, categories) = (section.capacity(), section.categories());
            PlanSection { name: section.name.clone(), kind, capacity, categories }
        })
        .collect();
    SeatingPlan {
        id,
        hall: hall.to_owned(),
        version,
        capacity: sections.iter().map(|section| section.capacity).sum(),
        categories: categories.to_vec(),
        sections,
    }
}

impl NewSection {
    /// Seats or places to be sold.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        match &self.room {
            SectionRoom::Seated(seats) => {
                let seats = seats.iter().filter(|seat| !seat.dropped).count();
                u32::try_from(seats).expect("seats are indexed by u32")
            }
            SectionRoom::General { capacity } => *capacity,
        }
    }

    /// Those that its seats have.
    fn categories(&self) -> Vec<u16> {
        match &self.room {
            SectionRoom::Seated(seats) => {
                let seats = seats.iter().filter(|seat| !seat.dropped);
                let categories: BTreeSet<u16> = seats.filter_map(|it| it.category).collect();
                categories.into_iter().collect()
            }
            SectionRoom::General { .. } => Vec::new(),
        }
    }
}
