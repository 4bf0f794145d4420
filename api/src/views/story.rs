//! A story as operators read it: labels for indexes, the API's words for everything.

mod detail;

use serde::Serialize;
use serde_json::{Map, Value};
use taquilla_engine::event::Terms;
use taquilla_engine::payment::AttemptStatus;
use taquilla_persistence::codec::{HoldEnding, OrderState};
use taquilla_persistence::page::Page;
use taquilla_persistence::story::{Entry, Position, What, Who};
use utoipa::ToSchema;

use self::detail::Words;
use crate::cursor::Cursor;
use crate::instant::Instant;

/// What happened, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = Story)]
pub struct StoryView {
    story: Vec<EntryView>,
    /// Where the next part begins, if this is not all.
    next_cursor: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = StoryEntry)]
struct EntryView {
    /// When.
    at: Instant,
    /// One of a fixed set of words, which `docs/explain.md` lists.
    #[schema(example = "hold-placed")]
    what: &'static str,
    /// A buyer, an operator, or `clock`.
    #[schema(example = "buyer-1")]
    who: String,
    /// Labels, ids, amounts and codes.
    #[schema(value_type = Object)]
    detail: Map<String, Value>,
}

impl StoryView {
    /// The story of an event with these terms.
    #[must_use]
    pub fn of(page: Page<Entry, Position>, terms: &Terms) -> Self {
        let words = Words { terms };
        let view = |entry: Entry| EntryView {
            at: Instant(entry.position.at),
            what: word(&entry.what),
            who: name(entry.who),
            detail: words.detail(entry.what),
        };
        Self {
            story: page.items.into_iter().map(view).collect(),
            next_cursor: page.next.map(|position| Cursor(position).to_text()),
        }
    }
}

fn name(who: Who) -> String {
    match who {
        Who::Buyer(name) | Who::Operator(name) => name,
        Who::Clock => "clock".into(),
    }
}

fn word(what: &What) -> &'static str {
    match what {
        What::HoldPlaced { .. } => "hold-placed",
        What::SeatsDeclined { .. } => "seats-declined",
        What::HoldReduced { .. } => "hold-reduced",
        What::HoldExtended { .. } => "hold-extended",
        What::HoldEnded { ending, .. } => match ending {
            HoldEnding::Released => "hold-released",
            HoldEnding::Expired => "hold-expired",
            HoldEnding::Converted => "hold-converted",
        },
        What::OrderPlaced { .. } => "order-placed",
        What::OrderEnded { status, .. } => match status {
            OrderState::Open => "order-open",
            OrderState::Confirmed => "order-confirmed",
            OrderState::Cancelled => "order-cancelled",
            OrderState::Expired => "order-expired",
        },
        What::TicketIssued { .. } => "ticket-issued",
        What::TicketsReturned { .. } => "tickets-returned",
        What::AttemptOpened { .. } => "attempt-opened",
        What::AttemptDecided { confirmed: true, .. } => "attempt-confirmed",
        What::AttemptDecided { confirmed: false, .. } => "attempt-void-due",
        What::AttemptResolved { status, .. } => match status {
            AttemptStatus::Captured => "attempt-captured",
            AttemptStatus::Declined => "attempt-declined",
            AttemptStatus::Voided => "attempt-voided",
            AttemptStatus::Refunded => "attempt-refunded",
            AttemptStatus::CaptureFailed => "attempt-capture-failed",
            AttemptStatus::Failed => "attempt-failed",
            AttemptStatus::Pending
            | AttemptStatus::RequiresAction
            | AttemptStatus::Verifying
            | AttemptStatus::Authorized
            | AttemptStatus::Confirmed
            | AttemptStatus::VoidDue
            | AttemptStatus::RefundDue
            | AttemptStatus::ReturnDue => unreachable!("only a final attempt is resolved"),
        },
        What::RefundSettled { .. } => "refund-settled",
        What::RefundFailed { .. } => "refund-failed",
        What::ChargedBack { .. } => "charged-back",
        What::ChargebackReturned { .. } => "chargeback-returned",
        What::QueueJoined { .. } => "queue-joined",
        What::QueueCalled { .. } => "queue-called",
        What::QueueAdmitted { .. } => "queue-admitted",
        What::QueueLeft { .. } => "queue-left",
        What::TicketScanned { .. } => "ticket-scanned",
        What::SeatBlocked { .. } => "seat-blocked",
        What::SeatUnblocked { .. } => "seat-unblocked",
        What::CapacitySet { .. } => "capacity-set",
        What::Refused(_) => "refused",
        What::Operated { .. } => "operator-action",
    }
}
