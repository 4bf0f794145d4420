//! `POST /admin/events/{id}/blocks`: seats taken off sale, and put back.

use std::collections::HashMap;

use serde::Deserialize;
use taquilla_engine::id::SeatIndex;
use taquilla_engine::name::canonical;
use taquilla_engine::operation::EventChange;
use taquilla_engine::plan::Plan;
use utoipa::ToSchema;

use super::text::check_reason;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// Of both lists together: one statement writes them all, and the sale waits meanwhile.
const SEATS_MAX: usize = 10_000;

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
    /// What the form says by itself.
    ///
    /// # Errors
    /// `malformed-request`: too many seats, or else every label that stands twice.
    pub fn check(&self) -> Result<(), Problem> {
        let mut errors = FormErrors::default();
        let seats = self.block.len() + self.unblock.len();
        errors.require(seats > 0, "", "`block` or `unblock` names at least one seat");
        let detail = format!("{seats} seats, and {SEATS_MAX} at most in one request");
        errors.require(seats <= SEATS_MAX, "", &detail);
        check_reason(&mut errors, &self.reason, None);
        if seats <= SEATS_MAX {
            self.check_labels(&mut errors);
        }
        errors.into_result()
    }

    fn check_labels(&self, errors: &mut FormErrors) {
        let mut seen = HashMap::new();
        for (list, labels) in self.lists() {
            for (place, label) in labels.iter().enumerate() {
                if let Some((first, before)) = seen.insert(canonical(label), (list, place)) {
                    let detail = format!("this seat stands at /{first}/{before}, too");
                    errors.add(format!("/{list}/{place}"), detail);
                }
            }
        }
    }

    /// What is to be done in this plan. The form has been checked.
    ///
    /// # Errors
    /// `malformed-request`, with every label that the plan does not have.
    pub fn at(&self, plan: &Plan) -> Result<EventChange, Problem> {
        let mut errors = FormErrors::default();
        let [block, unblock] = self.lists().map(|(list, labels)| {
            let seats = labels.iter().enumerate().filter_map(|(place, label)| {
                let seat = plan.seat_of(label);
                errors.require(
                    seat.is_some(),
                    &format!("/{list}/{place}"),
                    "the event has no such seat",
                );
                seat
            });
            seats.collect::<Vec<SeatIndex>>()
        });
        errors.into_result()?;
        Ok(EventChange::Blocks { block, unblock })
    }

    fn lists(&self) -> [(&'static str, &[String]); 2] {
        [("block", &self.block), ("unblock", &self.unblock)]
    }
}
