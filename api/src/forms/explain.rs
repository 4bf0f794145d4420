//! `GET /admin/events/{event_id}/explain`: whose story.

use serde::Deserialize;
use taquilla_engine::buyer::{BUYER_BYTES_MAX, BuyerId};
use taquilla_engine::id::{EventNumber, HoldId, OrderId};
use taquilla_engine::plan::Plan;
use taquilla_persistence::story::{Position, Subject};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::cursor::Cursor;
use crate::problem::Problem;
use crate::strict::{FormError, FormErrors};

/// Exactly one of `seat`, `buyer`, `hold` and `order`.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExplainQuery {
    /// A seat's label.
    seat: Option<String>,
    /// A buyer: the `sub` of his tokens.
    buyer: Option<String>,
    /// A hold's id.
    hold: Option<Uuid>,
    /// An order's id.
    order: Option<Uuid>,
    /// The `next_cursor` of the part before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor<Position>>,
}

/// Whose story, in the operator's words.
pub enum Asked {
    /// Of the seat with this label.
    Seat(String),
    /// Of this buyer.
    Buyer(BuyerId),
    /// Of the hold with this id.
    Hold(Uuid),
    /// Of the order with this id.
    Order(Uuid),
}

impl ExplainQuery {
    /// Whose story, and from where on.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(self) -> Result<(Asked, Option<Position>), Problem> {
        let mut errors = FormErrors::default();
        let given = [
            ("?seat", self.seat.is_some()),
            ("?buyer", self.buyer.is_some()),
            ("?hold", self.hold.is_some()),
            ("?order", self.order.is_some()),
        ];
        let mut given = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name);
        match given.next() {
            None => errors.add("?", "one of `seat`, `buyer`, `hold` and `order` is required"),
            Some(first) => given.for_each(|other| {
                errors.add(other, format!("stands beside {first}; one of them is asked for"));
            }),
        }
        let buyer = self.buyer.map(|name| BuyerId::parse(&name));
        let names_a_buyer = buyer != Some(None);
        let wanted = format!("a buyer is 1 to {BUYER_BYTES_MAX} bytes, none of them NUL");
        errors.require(names_a_buyer, "?buyer", &wanted);
        errors.into_result()?;
        let buyer = buyer.flatten().map(Asked::Buyer);
        let asked = self.seat.map(Asked::Seat).or(buyer);
        let asked = asked.or(self.hold.map(Asked::Hold)).or(self.order.map(Asked::Order));
        let asked = asked.expect("what names nothing left an error");
        Ok((asked, self.cursor.map(|cursor| cursor.0)))
    }
}

impl Asked {
    /// Whose story, in the event's own terms.
    ///
    /// # Errors
    /// `malformed-request` for a seat that the plan does not have; `not-found` for an id that cannot be of
    /// this event.
    pub fn of(self, event: EventNumber, plan: &Plan) -> Result<Subject, Problem> {
        match self {
            Self::Seat(label) => {
                let none = || FormError::at("?seat", "the event has no such seat");
                let seat = plan.seat_of(&label).ok_or_else(none)?;
                Ok(Subject::Seat { seat, label })
            }
            Self::Buyer(buyer) => Ok(Subject::Buyer(buyer)),
            Self::Hold(id) => {
                let hold = HoldId::parse(id).filter(|hold| hold.event() == event);
                hold.map(Subject::Hold).ok_or_else(Problem::not_found)
            }
            Self::Order(id) => {
                let order = OrderId::parse(id).filter(|order| order.event() == event);
                order.map(Subject::Order).ok_or_else(Problem::not_found)
            }
        }
    }
}
