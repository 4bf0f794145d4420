//! `DELETE /holds/{id}/items`: which part of a hold.

use serde::Deserialize;
use taquilla_engine::hold::Claim;
use taquilla_engine::plan::Plan;
use utoipa::IntoParams;

use super::hold::general_section;
use super::number::{Quantity, Whole};
use crate::problem::Problem;
use crate::strict::FormErrors;

/// `seat`, or `section` and `quantity`.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ItemQuery {
    /// The label of one seat of the hold.
    seat: Option<String>,
    /// A general section of the hold.
    section: Option<String>,
    /// How many of its places, 1 to 1,000,000.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1_000_000)]
    quantity: Option<Quantity>,
}

/// A part of a hold, in the buyer's words.
pub enum Item {
    /// This label.
    Seat(String),
    /// So many places of this section.
    Places(String, u32),
}

impl ItemQuery {
    /// Which part.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(self) -> Result<Item, Problem> {
        let mut errors = FormErrors::default();
        let item = match (self.seat, self.section, self.quantity) {
            (Some(seat), None, None) => Some(Item::Seat(seat)),
            (None, Some(section), Some(Whole(quantity))) => {
                let quantity = u32::try_from(quantity).expect("a million fits");
                Some(Item::Places(section, quantity))
            }
            (None, Some(_), None) => {
                errors.add("?quantity", "how many places of the section is required");
                None
            }
            (None, None, _) => {
                errors.add("?seat", "`seat`, or `section` and `quantity`, is required");
                None
            }
            (Some(_), _, _) => {
                errors.add("?seat", "stands alone, without `section` and `quantity`");
                None
            }
        };
        errors.into_result()?;
        Ok(item.expect("what is no item left an error"))
    }
}

impl Item {
    /// The part in the plan's own terms, or the pointer of what the plan does not have.
    ///
    /// # Errors
    /// The pointers, which the engine refuses once it knows whose hold it is.
    pub fn part(&self, plan: &Plan) -> Result<Claim, Vec<String>> {
        match self {
            Self::Seat(label) => {
                let seat = plan.seat_of(label).ok_or_else(|| vec!["?seat".to_owned()])?;
                Ok(Claim::of_seats(vec![seat]))
            }
            Self::Places(name, quantity) => {
                let section =
                    general_section(plan, name).ok_or_else(|| vec!["?section".to_owned()])?;
                Ok(Claim::of_places(section, *quantity))
            }
        }
    }
}
