//! The rows of a run, in the auditor's own words, and the one snapshot they are read in.

mod money;
mod read;
mod status;

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub use money::{Attempt, Notice, Posting, Refund};
pub use read::{ReadError, read_rows};
pub use status::{
    AttemptStatus, Cause, HoldStatus, OrderStatus, RefundStatus, SeatState, TicketStatus,
};

/// Everything that the auditor reads of a database.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// What is on sale.
    pub events: Vec<Event>,
    /// Every seat of every event.
    pub seats: Vec<Seat>,
    /// Every general area of every event.
    pub areas: Vec<Area>,
    /// The counts that are kept of buyers.
    pub buyers: Vec<Buyer>,
    /// Every hold there ever was.
    pub holds: Vec<Hold>,
    /// Every order there ever was.
    pub orders: Vec<Order>,
    /// Every ticket there ever was.
    pub tickets: Vec<Ticket>,
    /// Every payment attempt there ever was.
    pub attempts: Vec<Attempt>,
    /// Tickets that came back, and what was owed for them.
    pub refunds: Vec<Refund>,
    /// What the money did, by double entry.
    pub ledger: Vec<Posting>,
    /// What the provider told by itself.
    pub notices: Vec<Notice>,
}

/// An event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its number in the database.
    pub number: i32,
    /// Its public id.
    pub id: Uuid,
    /// What may stand for the id.
    pub slug: String,
    /// How many seats a buyer may have.
    pub buyer_seats_max: i32,
    /// ISO 4217, of all its prices.
    pub currency: String,
    /// How many seats its seated sections have by the plan.
    pub planned_seats: i64,
    /// Since when it does not take place: written once it was decided.
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// A seat of an event.
#[derive(Debug, Clone)]
pub struct Seat {
    /// The event's number.
    pub event: i32,
    /// Its place in the event's map.
    pub index: i32,
    /// Its section's number in the plan.
    pub section: i16,
    /// What people call it.
    pub label: String,
    /// What people call its row.
    pub row: String,
    /// Whether it is only for those who ask for such a seat.
    pub accessible: bool,
    /// How it stands.
    pub state: SeatState,
    /// Whose it is, when held or sold.
    pub hold: Option<Uuid>,
}

/// A section of an event without seats.
#[derive(Debug, Clone)]
pub struct Area {
    /// The event's number.
    pub event: i32,
    /// Its number in the plan.
    pub section: i16,
    /// What people call it.
    pub name: String,
    /// How many places there are.
    pub capacity: i32,
    /// The kept count of held places.
    pub held: i32,
    /// The kept count of sold places.
    pub sold: i32,
}

/// The count that is kept of a buyer.
#[derive(Debug, Clone)]
pub struct Buyer {
    /// The event's number.
    pub event: i32,
    /// The `sub` of the buyer's tokens.
    pub name: String,
    /// Held and owned.
    pub seats: i32,
}

/// A hold.
#[derive(Debug, Clone)]
pub struct Hold {
    /// Its id.
    pub id: Uuid,
    /// The event's number.
    pub event: i32,
    /// Whose it is.
    pub buyer: String,
    /// Indexes of its seats, of any sections.
    pub seats: Vec<i32>,
    /// Places of general areas: the section's number in the plan, and how many.
    pub places: Vec<(i16, i32)>,
    /// How many seats and places.
    pub quantity: i32,
    /// One for each seat, then one for each place.
    pub unit_prices: Vec<i64>,
    /// One for each fee of the event.
    pub fees: Vec<i64>,
    /// What it costs.
    pub total: i64,
    /// How it stands.
    pub status: HoldStatus,
    /// Whether the house chose its seats.
    pub is_chosen: bool,
    /// When it was granted; of chosen seats, when the search for them began.
    pub created_at: DateTime<Utc>,
    /// When it is over, whatever has been written by then.
    pub expires_at: DateTime<Utc>,
    /// When it was released, written off or sold.
    pub ended_at: Option<DateTime<Utc>>,
}

impl Hold {
    /// How many places it has in the section.
    #[must_use]
    pub fn places_in(&self, section: i16) -> i64 {
        let here = self.places.iter().filter(|(place, _)| *place == section);
        here.map(|(_, quantity)| i64::from(*quantity)).sum()
    }
}

/// An order.
#[derive(Debug, Clone)]
pub struct Order {
    /// Its id.
    pub id: Uuid,
    /// Its hold.
    pub hold: Uuid,
    /// Whose it is.
    pub buyer: String,
    /// How it stands.
    pub status: OrderStatus,
    /// What it costs.
    pub total: i64,
}

/// A ticket.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// Its id.
    pub id: Uuid,
    /// The order that it was issued for.
    pub order: Uuid,
    /// The event's number.
    pub event: i32,
    /// Its section's number in the plan.
    pub section: i16,
    /// The seat's index; `None` for a place of a general area.
    pub seat: Option<i32>,
    /// How it stands.
    pub status: TicketStatus,
}
