//! Venues and events: what operators make once, and what buyers look at.
//!
//! A version of a hall's plan never changes. An event's terms only its lane changes; which plan it has,
//! a transaction that shuts the lane out. How many
//! seats are left is the live map's to say, not the catalogue's.

mod artist;
mod changes;
mod create_event;
mod create_plan;
mod create_venue;
mod event;
mod event_numbers;
mod events;
mod move_event;
mod new_event;
mod new_venue;
mod seat_geometry;
mod seating_plan;
mod terms;
mod venue;
mod venue_list;
mod write_plan;

pub use self::artist::Artist;
pub use self::changes::{CatalogueNews, CataloguePlace, Changed};
pub use self::event::{EventRecord, EventSection, EventSummary, VenueSummary};
pub use self::move_event::{AreaInTheWay, EventMove, InTheWay, Moved, SectionTier};
pub use self::new_event::NewEvent;
pub use self::new_venue::{NewPlan, NewSeat, NewSection, NewVenue, SectionRoom};
pub use self::seat_geometry::SeatGeometry;
pub use self::seating_plan::{PlanSection, SeatingPlan};
pub use self::venue::Venue;
pub use self::venue_list::VenuePosition;

pub(crate) use self::terms::{read_sale, terms_within};

use uuid::Uuid;

use crate::database::{Database, DatabaseError};

/// The catalogue's rows. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Catalogue {
    database: Database,
}

impl Catalogue {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Catalogue {
        Catalogue { database }
    }
}

/// What a path names a venue, event or artist by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Its id.
    Id(Uuid),
    /// Its slug.
    Slug(String),
}

impl Reference {
    /// A UUID is an id, everything else a slug.
    #[must_use]
    pub fn parse(text: &str) -> Reference {
        Uuid::parse_str(text).map_or_else(|_| Reference::Slug(text.to_owned()), Reference::Id)
    }

    /// Both forms as parameters, one of them null.
    pub(crate) fn parts(&self) -> (Option<Uuid>, Option<&str>) {
        match self {
            Reference::Id(id) => (Some(*id), None),
            Reference::Slug(slug) => (None, Some(slug)),
        }
    }
}

/// Why nothing was made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// Another venue or event has the slug, or this very id.
    #[error("the slug is taken")]
    SlugTaken,
    /// The hall has this version already.
    #[error("the hall has this version already")]
    VersionTaken,
    /// The database refused or could not say; after [`DatabaseError::TimedOut`] it may stand.
    #[error(transparent)]
    Database(DatabaseError),
}

impl From<DatabaseError> for CreateError {
    fn from(error: DatabaseError) -> CreateError {
        match error.constraint() {
            Some("venues_slug_unique" | "venues_pkey" | "events_slug_unique") => {
                CreateError::SlugTaken
            }
            Some("seating_plans_version_unique") => CreateError::VersionTaken,
            _ => CreateError::Database(error),
        }
    }
}
