//! Making a plan of a venue that is there: a new hall's first, or a hall's next version.

use serde_json::json;

use super::create_venue::ANSWER_MAX;
use super::new_venue::NewPlan;
use super::seating_plan::SeatingPlan;
use super::write_plan::write_plan;
use super::{Catalogue, CreateError};
use crate::operator_action::OperatorAction;

impl Catalogue {
    /// Makes the plan, and the trail's row. No event changes by it.
    ///
    /// # Errors
    /// [`CreateError`]; [`CreateError::VersionTaken`] if somebody has made this version meanwhile. Unless it
    /// is certain that nothing was made, it may stand.
    pub async fn create_plan(
        &self,
        new: &NewPlan,
        action: &OperatorAction,
    ) -> Result<SeatingPlan, CreateError> {
        let plan = new.plan();
        self.database
            .within(ANSWER_MAX)
            .write("create_plan", async |transaction| {
                write_plan(&transaction, new.venue, &plan, &new.sections).await?;
                let detail = json!({
                    "venue_id": new.venue, "hall": plan.hall, "plan_version": plan.version,
                });
                action.record(&transaction, None, "create_plan", &detail).await
            })
            .await?;
        Ok(plan)
    }
}
