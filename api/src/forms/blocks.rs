//! `POST /admin/events/{id}/blocks`: seats taken off sale, and put back.

use std::collections::HashMap;

use serde::Deserialize;
use taquilla_engine::id::SeatIndex;
use taquilla_engine::operation::EventChange;
use taquilla_engine::plan::Plan;
use utoipa::ToSchema;

use super::text::check_prose;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// Of both lists together: one statement writes them all, and the sale waits meanwhile.
const SEATS_MAX: usize = 10_000;

/// A sentence or two.
pub const REASON_CHARS_MAX: usize = 1_000;

/// Seats by their labels, none twice. All of it is done or none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Blocks)]
pub struct BlocksForm {
    /// To be taken off sale; those that are stay so.
    #[serde(default)]
    pub block: Vec<String>,
    /// To be put back on sale; those that are stay so.
    #[serde(default)]
    pub unblock: Vec<String>,
    /// For the trail.
    #[serde(default)]
    pub reason: String,
}

impl RequestBody for BlocksForm {
    /// Ten thousand labels.
    const BYTES_MAX: usize = 4 * 1024 * 1024;
}

impl BlocksForm {
    /// What is to be done in this plan.
    ///
    /// # Errors
    /// `malformed-request`, with every label that is unknown or stands twice.
    pub fn check(&self, plan: &Plan) -> Result<EventChange, Problem> {
        let mut errors = FormErrors::default();
        let seats = self.block.len() + self.unblock.len();
        errors.require(seats > 0, "", "`block` or `unblock` names at least one seat");
        let detail = format!("{seats} seats, and {SEATS_MAX} at most in one request");
        errors.require(seats <= SEATS_MAX, "", &detail);
        check_prose(&mut errors, "/reason", &self.reason, REASON_CHARS_MAX);
        let mut seen = HashMap::new();
        let mut find = |list: &str, labels: &[String]| -> Vec<SeatIndex> {
            let mut found = Vec::with_capacity(labels.len());
            for (place, label) in labels.iter().enumerate() {
                let at = format!("/{list}/{place}");
                let Some(seat) = plan.seat_of(label) else {
                    errors.add(at, "the event has no such seat");
                    continue;
                };
                match seen.insert(seat, at.clone()) {
                    None => found.push(seat),
                    Some(before) => errors.add(at, format!("this seat stands at {before}, too")),
                }
            }
            found
        };
        let block = find("block", &self.block);
        let unblock = find("unblock", &self.unblock);
        errors.into_result()?;
        Ok(EventChange::Blocks { block, unblock })
    }
}
