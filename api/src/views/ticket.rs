//! A ticket as its buyer sees it, with the code that is scanned.

use serde::Serialize;
use taquilla_engine::id::EventId;
use taquilla_persistence::orders::TicketRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::tickets::{SignedTicket, TicketSigner};

/// Lets its bearer in.
#[derive(Serialize, ToSchema)]
#[schema(as = Ticket)]
pub struct TicketView {
    /// Its id.
    pub ticket_id: Uuid,
    /// Its seat's label, where the section has seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// Where.
    pub section: String,
    /// `valid`, `void` or `used`.
    #[schema(example = "valid")]
    pub status: &'static str,
    /// Signed; verified offline with the published keys.
    pub code: String,
}

impl TicketView {
    /// The ticket of this event, signed.
    #[must_use]
    pub fn of(ticket: TicketRecord, event: EventId, signer: &TicketSigner) -> Self {
        let signed = SignedTicket::of(&ticket, event);
        Self {
            ticket_id: ticket.id.uuid(),
            seat: ticket.seat,
            section: ticket.section,
            status: ticket.status.code(),
            code: signer.sign(&signed),
        }
    }
}
