//! What comes first in a list of events, and where in it a page ends.

use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// What begins soonest.
    #[default]
    Date,
    /// What is nearest; of one venue, what begins soonest.
    Distance,
    /// What has most of the words, as they were written; of equals, what begins soonest.
    Relevance,
}

impl Order {
    /// All.
    pub const ALL: [Self; 3] = [Self::Date, Self::Distance, Self::Relevance];

    /// Its name in a query.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Distance => "distance",
            Self::Relevance => "relevance",
        }
    }
}

/// Where an event stands in a list: lists are sorted by this, smallest first. Stable while events come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SearchPosition {
    /// Of which list.
    pub order: Order,
    /// By date 0, by distance in metres, by relevance how much less than nothing it is worth.
    pub rank: i64,
    /// Those of one rank by this,
    pub starts_at: Moment,
    /// and those of one instant by this.
    pub event: EventNumber,
}
