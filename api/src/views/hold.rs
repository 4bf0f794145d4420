//! A hold as its buyer sees it.

use serde::Serialize;
use taquilla_engine::event::Terms;
use taquilla_engine::hold::{Choice, Hold, HoldStatus};
use taquilla_engine::id::EventId;
use taquilla_engine::moment::Moment;
use taquilla_persistence::orders::{Declined, HoldRecord};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{BillView, bill_of};
use crate::instant::{Instant, seconds_until};

/// Seats that are nobody else's until it ends.
#[derive(Serialize, ToSchema)]
#[schema(as = Hold)]
pub struct HoldView {
    /// Its id.
    pub hold_id: Uuid,
    /// Of which event.
    pub event_id: Uuid,
    /// `active`, `released`, `expired` or `converted`.
    #[schema(example = "active")]
    pub status: &'static str,
    /// Its order, once there is one.
    pub order_id: Option<Uuid>,
    /// What it takes and costs.
    #[serde(flatten)]
    pub bill: BillView,
    /// What was asked for and could not be had, where fewer would do.
    pub declined: Vec<DeclinedView>,
    /// Why these seats, where the house chose them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<ChoiceView>,
    /// When it began.
    pub created_at: Instant,
    /// From here on it is over.
    pub expires_at: Instant,
    /// Until then; 0 once it is over or sold.
    pub expires_in_seconds: u64,
    /// The server's time.
    pub as_of: Instant,
}

/// A seat's label, or places of a general section.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Declined)]
pub enum DeclinedView {
    /// By its label.
    Seat(String),
    /// By section and number.
    Places {
        /// Its name.
        section: String,
        /// How many.
        quantity: u32,
    },
}

/// Why the house chose these seats.
#[derive(Serialize, ToSchema)]
#[schema(as = Choice)]
pub struct ChoiceView {
    /// The row of the first seat.
    row: String,
    /// How far the seats are from front and centre, in seats, on average.
    distance: f64,
    /// Whether they are not all side by side.
    split: bool,
    /// Free single seats that the choice leaves.
    orphans: u32,
    /// `nearest`, `nearest-together`, `avoids-single-seats`, `accessible` or `split-no-run-free`.
    #[schema(example = "nearest-together")]
    reason: &'static str,
}

impl HoldView {
    /// As the engine knows it.
    #[must_use]
    pub fn of(hold: &Hold, event: EventId, terms: &Terms, as_of: Moment) -> Self {
        Self::from(HoldRecord {
            id: hold.id,
            event,
            buyer: hold.buyer.clone(),
            status: hold.status_at(as_of),
            order: hold.order,
            bill: bill_of(hold, terms),
            declined: declined_of(hold, terms),
            choice: hold.remarks.as_ref().and_then(|remarks| remarks.choice.clone()),
            created_at: hold.created_at,
            expires_at: hold.expires_at,
            as_of,
        })
    }
}

impl From<HoldRecord> for HoldView {
    fn from(hold: HoldRecord) -> Self {
        let left = match hold.status {
            HoldStatus::Active => seconds_until(hold.expires_at, hold.as_of),
            HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted => 0,
        };
        Self {
            hold_id: hold.id.uuid(),
            event_id: hold.event.uuid(),
            status: hold.status.code(),
            order_id: hold.order.map(|order| order.uuid()),
            bill: hold.bill.into(),
            declined: hold.declined.into_iter().map(DeclinedView::from).collect(),
            choice: hold.choice.map(ChoiceView::from),
            created_at: Instant(hold.created_at),
            expires_at: Instant(hold.expires_at),
            expires_in_seconds: left,
            as_of: Instant(hold.as_of),
        }
    }
}

fn declined_of(hold: &Hold, terms: &Terms) -> Vec<Declined> {
    let Some(remarks) = &hold.remarks else { return Vec::new() };
    let seats = remarks.declined.seats.iter();
    let seats = seats.map(|seat| Declined::Seat(terms.plan.seat(*seat).label().into()));
    let places = remarks.declined.places.iter();
    let places = places.map(|(section, quantity)| {
        Declined::Places(terms.plan.section(*section).name.clone(), *quantity)
    });
    seats.chain(places).collect()
}

impl From<Declined> for DeclinedView {
    fn from(declined: Declined) -> Self {
        match declined {
            Declined::Seat(label) => Self::Seat(label),
            Declined::Places(section, quantity) => Self::Places { section, quantity },
        }
    }
}

impl From<Choice> for ChoiceView {
    fn from(choice: Choice) -> Self {
        let Choice { row, distance, split, orphans, reason } = choice;
        let (row, distance) = (row.into(), f64::from(distance) / 100.0);
        Self { row, distance, split, orphans, reason: reason.code() }
    }
}
