//! A venue as operators see it.

use serde::Serialize;
use taquilla_persistence::catalogue::{PlanSection, SeatingPlan, Venue};
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

/// A venue with every version of every hall.
#[derive(Serialize, ToSchema)]
#[schema(as = VenueHalls)]
pub struct VenueHallsView {
    /// As it is listed: with the latest plan of its first hall.
    #[serde(flatten)]
    venue: ListedVenueView,
    /// In the order in which they were made.
    halls: Vec<HallView>,
}

/// One hall.
#[derive(Serialize, ToSchema)]
#[schema(as = Hall)]
struct HallView {
    /// Its name, unique in the venue.
    hall: String,
    /// The latest last.
    plans: Vec<PlanView>,
}

/// One version of a hall's plan.
#[derive(Serialize, ToSchema)]
#[schema(as = HallPlan)]
struct PlanView {
    /// From 1.
    plan_version: u32,
    /// Seats and places in all.
    capacity: u32,
    /// Kinds of seats for `category_tiers`; none of a plan by rows.
    categories: Vec<String>,
    /// Those that are there, in the plan's order.
    sections: Vec<SectionView>,
}

/// A plan as its maker is told of it.
#[derive(Serialize, ToSchema)]
#[schema(as = MadePlan)]
pub struct MadePlanView {
    /// Of which venue.
    venue_id: Uuid,
    /// Of which hall.
    hall: String,
    #[serde(flatten)]
    plan: PlanView,
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

impl VenueHallsView {
    /// Of the venue with each of its plans, halls together, versions in order; `None` without any.
    #[must_use]
    pub fn of(venues: Vec<Venue>) -> Option<Self> {
        let mut halls: Vec<HallView> = Vec::new();
        for plan in venues.iter().map(|venue| &venue.plan) {
            let view = PlanView::from(plan);
            match halls.last_mut().filter(|_| plan.version > 1) {
                Some(hall) => hall.plans.push(view),
                None => halls.push(HallView { hall: plan.hall.clone(), plans: vec![view] }),
            }
        }
        let first = halls.first()?.plans.len();
        let shown = venues.into_iter().nth(first.checked_sub(1)?)?;
        Some(Self { venue: shown.into(), halls })
    }
}

impl MadePlanView {
    /// Of this venue's plan.
    #[must_use]
    pub fn of(venue: Uuid, plan: &SeatingPlan) -> Self {
        Self { venue_id: venue, hall: plan.hall.clone(), plan: plan.into() }
    }
}

impl From<&SeatingPlan> for PlanView {
    fn from(plan: &SeatingPlan) -> Self {
        let categories = plan.categories.clone();
        let (plan_version, capacity) = (plan.version, plan.capacity);
        Self { plan_version, capacity, categories, sections: sections(plan) }
    }
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
            categories: venue.plan.categories.clone(),
            venue: venue.into(),
        }
    }
}

impl From<Venue> for VenueView {
    fn from(venue: Venue) -> Self {
        Self {
            venue_id: venue.id,
            capacity: venue.plan.capacity,
            sections: sections(&venue.plan),
            slug: venue.slug,
        }
    }
}

/// Those that are there, in the plan's order.
fn sections(plan: &SeatingPlan) -> Vec<SectionView> {
    let there = plan.sections.iter().filter(|section| !section.is_dropped());
    let section = |section: &PlanSection| SectionView {
        section: section.name.clone(),
        kind: kind(section.kind),
        capacity: section.capacity,
    };
    there.map(section).collect()
}
