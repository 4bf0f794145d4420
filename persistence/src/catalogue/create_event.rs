//! Making an event: its terms, its seats, its head and the trail, in one transaction.

mod details;
mod inventory;

use std::time::Duration;

use serde_json::json;
use taquilla_engine::id::{EventId, EventNumber};
use tokio_postgres::{Client, Error};

use super::new_event::NewEvent;
use super::venue::Venue;
use super::{Catalogue, CreateError};
use crate::columns;
use crate::operator_action::OperatorAction;
use crate::stamp::Stamp;

/// A million seats took 2 s on two cores with a fast disk. Nobody else waits for this transaction, and
/// each of its statements keeps the bound that all statements have.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// The id carries the number, so the number is drawn first.
const NUMBER: &str = "/* create_event */ \
    SELECT nextval(pg_get_serial_sequence('events', 'event_no'))::integer";

const EVENT: &str = "/* create_event */ \
    INSERT INTO events \
           (event_no, event_id, venue_id, plan_id, slug, name, description, category, conditions, \
            starts_at, currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, \
            waiting_room, verifying_extension_seconds) \
    OVERRIDING SYSTEM VALUE \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";

impl Catalogue {
    /// Makes the event of the venue's plan, on sale by its own clock.
    ///
    /// Not idempotent: repeated with the same slug it is [`CreateError::SlugTaken`].
    ///
    /// # Errors
    /// [`CreateError`]; unless it is certain that nothing was made, it may stand.
    ///
    /// # Panics
    /// If a section of the plan, or a category of a section, has no tier, or a tier's place is not
    /// in `tiers`.
    pub async fn create_event(
        &self,
        venue: &Venue,
        new: &NewEvent,
        action: &OperatorAction,
    ) -> Result<EventId, CreateError> {
        let prices = details::section_prices(&venue.plan, new);
        let database = self.database.within(ANSWER_MAX);
        let created = database.write("create_event", async |transaction| {
            let event = EventNumber(transaction.query_one(NUMBER, &[]).await?.try_get(0)?);
            let id = EventId::new(event, new.random);
            insert_event(&transaction, id, venue, new).await?;
            details::insert(&transaction, event, new, &prices).await?;
            inventory::insert(&transaction, event, &venue.plan).await?;
            let detail = json!({"event_id": id.uuid(), "slug": new.slug});
            action.record(&transaction, Some(event), "create_event", &detail).await?;
            Ok(id)
        });
        Ok(created.await?)
    }
}

async fn insert_event(
    transaction: &Client,
    id: EventId,
    venue: &Venue,
    new: &NewEvent,
) -> Result<(), Error> {
    transaction
        .execute(
            EVENT,
            &[
                &id.event().0,
                &id.uuid(),
                &venue.id,
                &venue.plan.id,
                &new.slug,
                &new.name,
                &new.description,
                &new.category,
                &new.conditions,
                &Stamp(new.starts_at),
                &new.currency.as_str(),
                &Stamp(new.sale.opens_at),
                &Stamp(new.sale.closes_at),
                &columns::integer(new.sale.hold_ttl.as_secs()),
                &columns::integer(new.sale.buyer_seats_max),
                &new.sale.waiting_room,
                &columns::integer(new.sale.verifying_extension.as_secs()),
            ],
        )
        .await
        .map(drop)
}
