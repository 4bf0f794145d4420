//! A plan's rows, in the transaction of whoever makes it.

mod seats;
mod sections;

use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::new_venue::NewSection;
use super::seating_plan::SeatingPlan;
use crate::columns;

const PLAN: &str = "/* write_plan */ \
    INSERT INTO seating_plans (plan_id, venue_id, hall, version, capacity) \
    VALUES ($1, $2, $3, $4, $5)";

/// `plan` is what `sections` make.
pub(super) async fn write_plan(
    transaction: &Client,
    venue: Uuid,
    plan: &SeatingPlan,
    new_sections: &[NewSection],
) -> Result<(), Error> {
    let (version, capacity) = (columns::integer(plan.version), columns::integer(plan.capacity));
    transaction.execute(PLAN, &[&plan.id, &venue, &plan.hall, &version, &capacity]).await?;
    sections::insert(transaction, plan).await?;
    seats::copy(transaction, plan.id, new_sections).await
}
