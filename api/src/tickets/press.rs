//! From an order to its paper.

use std::sync::Arc;

use chrono::DateTime;
use chrono_tz::Tz;
use taquilla_engine::moment::Moment;
use taquilla_persistence::catalogue::{Catalogue, EventRecord, Reference};
use taquilla_persistence::orders::{OrderRecord, TicketRecord, TicketStatus};

use super::{PAGES_MAX, Paper, PaperTicket, SignedTicket, TicketSigner};
use crate::app::App;
use crate::listings::Listings;
use crate::problem::Problem;

/// What paper is made from, beside the order.
#[derive(Clone)]
pub struct Press {
    listings: Arc<Listings>,
    catalogue: Catalogue,
    signer: Arc<TicketSigner>,
}

impl Press {
    /// Of what the edge works with.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self {
            listings: Arc::clone(&app.listings),
            catalogue: app.catalogue.clone(),
            signer: Arc::clone(&app.tickets),
        }
    }

    /// The order's tickets that let somebody in, or have; after so many of them, as many as a file may
    /// have. None if the order's event is not there.
    ///
    /// # Errors
    /// `purchases-paused` if the event is not in memory and cannot be read; `overloaded`.
    pub async fn paper(
        &self,
        order: &OrderRecord,
        before: usize,
    ) -> Result<Option<Paper>, Problem> {
        let event = Reference::Id(order.event.uuid());
        let event = self.listings.find(&self.catalogue, &event).await?;
        Ok(event.map(|event| paper_of(order, &event, before, &self.signer)))
    }
}

/// The order's tickets of this event that let somebody in, or have; after so many of them, as many as a
/// file may have.
fn paper_of(
    order: &OrderRecord,
    event: &EventRecord,
    before: usize,
    signer: &TicketSigner,
) -> Paper {
    let summary = &event.summary;
    let ticket = |ticket: &TicketRecord| PaperTicket {
        id: ticket.id.to_string(),
        section: ticket.section.clone(),
        seat: ticket.seat.clone(),
        code: signer.sign(&SignedTicket::of(ticket, order.event)),
    };
    let counts = |ticket: &&TicketRecord| match ticket.status {
        TicketStatus::Valid | TicketStatus::Used => true,
        TicketStatus::Void => false,
    };
    let printed = || order.tickets.iter().filter(counts);
    Paper {
        event: summary.name.clone(),
        starts: in_words(summary.starts_at, &event.timezone),
        venue: format!("{}, {}, {}", summary.venue.name, summary.venue.city, summary.venue.country),
        order: order.id.to_string(),
        tickets: printed().skip(before).take(PAGES_MAX).map(ticket).collect(),
        before,
        total: printed().count(),
    }
}

/// The instant as a clock at the venue shows it, with the zone's name. In UTC where no zone has it,
/// which the catalogue does not let happen.
fn in_words(moment: Moment, timezone: &str) -> String {
    let zone: Tz = timezone.parse().unwrap_or(Tz::UTC);
    let time = DateTime::from_timestamp_micros(moment.0).unwrap_or_default().with_timezone(&zone);
    format!("{} ({zone})", time.format("%A %-d %B %Y, %H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_that_of_the_venue() {
        let at = Moment(1_811_876_400_000_000);
        assert_eq!(in_words(at, "Europe/Madrid"), "Tuesday 1 June 2027, 21:00 (Europe/Madrid)");
        assert_eq!(in_words(at, "Asia/Tokyo"), "Wednesday 2 June 2027, 04:00 (Asia/Tokyo)");
        assert_eq!(in_words(at, "nowhere"), "Tuesday 1 June 2027, 19:00 (UTC)");
    }
}
