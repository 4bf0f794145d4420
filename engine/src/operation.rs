//! What an operator does to a living sale. It is decided at the event's door like a buyer's command,
//! and committed in one batch with the row that says who did it.

use std::time::Duration;

use uuid::Uuid;

use crate::id::{SeatIndex, SectionIndex};
use crate::moment::Moment;
use crate::sale::Sale;

/// An operator's command with its trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Who acts, and why.
    pub deed: Deed,
    /// What is to be done.
    pub change: EventChange,
}

/// The row of the trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Drawn at the edge.
    pub id: Uuid,
    /// The operator.
    pub who: Box<str>,
    /// The operation's name in the trail.
    pub what: &'static str,
    /// In the operator's words; may be empty.
    pub why: Box<str>,
    /// What was asked, as the edge words it; opaque here.
    pub detail: Box<str>,
}

/// What an operator changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventChange {
    /// Takes seats off sale, and puts others back on. No seat stands twice.
    Blocks {
        /// To be blocked; those that are stay so.
        block: Vec<SeatIndex>,
        /// To be free again; those that are stay so.
        unblock: Vec<SeatIndex>,
    },
    /// Opens or stops the sale.
    Sale(SaleAction),
    /// Changes the event's terms.
    Terms(Box<TermsPatch>),
}

/// What an operator does to the sale as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaleAction {
    /// It opens now, not when it was to.
    Open,
    /// No hold, order or payment begins until it is resumed.
    Pause,
    /// Ends a pause.
    Resume,
    /// It closes now; living holds may still be ordered and paid.
    Close,
    /// The event does not take place: nothing is sold any more, and all that is held is given back.
    Cancel,
}

/// New terms; what is not named stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermsPatch {
    /// What the event's page says.
    pub listing: Listing,
    /// The sale's own terms.
    pub sale: SalePatch,
    /// Every tier with its price, in any order, for holds from now on; empty: prices stay.
    pub prices: Vec<(Box<str>, i64)>,
    /// How many people may be in these general sections. None stands twice.
    pub capacities: Vec<(SectionIndex, u32)>,
}

/// Changes of the sale's own terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SalePatch {
    /// From here on holds are taken.
    pub opens_at: Option<Moment>,
    /// From here on none is.
    pub closes_at: Option<Moment>,
    /// How long holds made from now on live.
    pub hold_ttl: Option<Duration>,
    /// How many seats a buyer may have. Nobody loses what is above it.
    pub buyer_seats_max: Option<u32>,
    /// Whether a hold needs an admission.
    pub waiting_room: Option<bool>,
    /// How much longer a hold may live while its payment is being verified.
    pub verifying_extension: Option<Duration>,
}

/// What an event's page says beside its sale. It decides nothing; it stands here so that all of an
/// operator's change is one batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// As printed.
    pub name: Option<String>,
    /// As printed.
    pub description: Option<String>,
    /// One word.
    pub category: Option<String>,
    /// Small print.
    pub conditions: Option<String>,
    /// When the event begins.
    pub starts_at: Option<Moment>,
    /// Who plays, in order.
    pub artists: Option<Vec<ListedArtist>>,
}

/// An artist of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedArtist {
    /// For one who is new.
    pub id: Uuid,
    /// Tells artists apart.
    pub slug: String,
    /// As printed.
    pub name: String,
}

impl SalePatch {
    /// The sale after this change.
    #[must_use]
    pub fn apply(&self, sale: &Sale) -> Sale {
        Sale {
            opens_at: self.opens_at.unwrap_or(sale.opens_at),
            closes_at: self.closes_at.unwrap_or(sale.closes_at),
            hold_ttl: self.hold_ttl.unwrap_or(sale.hold_ttl),
            buyer_seats_max: self.buyer_seats_max.unwrap_or(sale.buyer_seats_max),
            waiting_room: self.waiting_room.unwrap_or(sale.waiting_room),
            paused: sale.paused,
            verifying_extension: self.verifying_extension.unwrap_or(sale.verifying_extension),
            cancelled: sale.cancelled,
        }
    }
}

/// What an operation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operated {
    /// Seats of the event that are blocked now.
    pub blocked: u32,
}
