//! `POST /admin/orders/{id}/refunds`: sold tickets that come back.

use std::collections::HashMap;

use serde::Deserialize;
use taquilla_engine::id::TicketId;
use utoipa::ToSchema;
use uuid::Uuid;

use super::text::check_reason;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// Which tickets of the order, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaceRefund)]
pub struct RefundForm {
    /// These, none of them twice; if it is left out, all that are not void.
    #[serde(default)]
    #[schema(min_items = 1)]
    pub tickets: Option<Vec<Uuid>>,
    /// For the trail and the books: 1 to 1,000 characters.
    pub reason: String,
}

impl RequestBody for RefundForm {}

impl RefundForm {
    /// The tickets named, if any are.
    ///
    /// # Errors
    /// `malformed-request`: an empty list, a ticket twice, what is no ticket's id, no reason.
    pub fn check(&self) -> Result<Option<Vec<TicketId>>, Problem> {
        let mut errors = FormErrors::default();
        let needed = "a refund has a reason, which the trail keeps";
        check_reason(&mut errors, &self.reason, Some(needed));
        let tickets = self.tickets.as_ref().map(|ids| check_tickets(ids, &mut errors));
        errors.into_result()?;
        Ok(tickets)
    }
}

fn check_tickets(ids: &[Uuid], errors: &mut FormErrors) -> Vec<TicketId> {
    errors.require(!ids.is_empty(), "/tickets", "at least one ticket, or none of this field");
    let mut seen = HashMap::new();
    let mut tickets = Vec::with_capacity(ids.len());
    for (place, id) in ids.iter().enumerate() {
        let at = format!("/tickets/{place}");
        if let Some(first) = seen.insert(id, place) {
            errors.add(at, format!("this ticket stands at /tickets/{first}, too"));
        } else if let Some(ticket) = TicketId::parse(*id) {
            tickets.push(ticket);
        } else {
            errors.add(at, "this is no ticket's id");
        }
    }
    tickets
}
