//! Making a venue: its first plan and the trail, in one transaction.

use std::time::Duration;

use serde_json::json;
use tokio_postgres::{Client, Error};

use super::new_venue::NewVenue;
use super::venue::Venue;
use super::write_plan::write_plan;
use super::{Catalogue, CreateError};
use crate::operator_action::OperatorAction;

/// A million seats took 3 to 4 s on two cores with a fast disk. Nobody else waits for this transaction,
/// and each of its statements keeps the bound that all statements have.
pub(super) const ANSWER_MAX: Duration = Duration::from_secs(60);

const VENUE: &str = "/* create_venue */ \
    INSERT INTO venues (venue_id, slug, name, city, country, lat, lon, timezone) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

impl Catalogue {
    /// Makes the venue, its first hall's plan, and the trail's row.
    ///
    /// Not idempotent: repeated with the same id or slug it is [`CreateError::SlugTaken`].
    ///
    /// # Errors
    /// [`CreateError`]; unless it is certain that nothing was made, it may stand.
    pub async fn create_venue(
        &self,
        new: &NewVenue,
        action: &OperatorAction,
    ) -> Result<Venue, CreateError> {
        let venue = new.venue();
        self.database
            .within(ANSWER_MAX)
            .write("create_venue", async |transaction| {
                insert_venue(&transaction, &venue).await?;
                write_plan(&transaction, venue.id, &venue.plan, &new.sections).await?;
                let detail = json!({"venue_id": venue.id, "slug": venue.slug});
                action.record(&transaction, None, "create_venue", &detail).await
            })
            .await?;
        Ok(venue)
    }
}

async fn insert_venue(transaction: &Client, venue: &Venue) -> Result<(), Error> {
    transaction
        .execute(
            VENUE,
            &[
                &venue.id,
                &venue.slug,
                &venue.name,
                &venue.city,
                &venue.country,
                &venue.lat,
                &venue.lon,
                &venue.timezone,
            ],
        )
        .await
        .map(drop)
}
