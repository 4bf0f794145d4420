//! `POST /holds`: which seats or places.

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use taquilla_engine::command::Wish;
use taquilla_engine::hold::Claim;
use taquilla_engine::plan::{Plan, SectionKind};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::problem::Problem;
use crate::strict::{FormError, FormErrors, RequestBody};

/// What a buyer asks for: `seats`, or `general`. A price is not among it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaceHold)]
pub struct HoldForm {
    /// In which event.
    pub event_id: Uuid,
    /// Labels, all of one section, none twice.
    seats: Option<Vec<String>>,
    /// One entry.
    general: Option<Vec<PlacesForm>>,
    /// Not offered yet: refused.
    #[schema(value_type = Option<Object>)]
    best_available: Option<IgnoredAny>,
    /// Not offered yet: refused if true.
    accept_fewer: Option<bool>,
}

/// Places of a general section.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Places)]
pub struct PlacesForm {
    section: String,
    /// At least 1.
    #[schema(minimum = 1)]
    quantity: u32,
}

/// A form in which everything fits together; only the event's plan is still to be asked.
pub enum WantedHold {
    /// These labels.
    Seats(Vec<String>),
    /// So many places in this section.
    Places(String, u32),
}

impl RequestBody for HoldForm {}

impl HoldForm {
    /// What is wanted.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(self) -> Result<WantedHold, Problem> {
        let mut errors = FormErrors::default();
        let offered = self.best_available.is_none();
        errors.require(offered, "/best_available", "best available is not offered yet");
        let fewer = self.accept_fewer.unwrap_or_default();
        errors.require(!fewer, "/accept_fewer", "a hold is all or nothing as yet");
        let seats = self.seats.map(|seats| check_seats(&mut errors, seats));
        let places = self.general.map(|places| check_places(&mut errors, places));
        let wanted = match (seats, places) {
            (Some(seats), None) => Some(WantedHold::Seats(seats)),
            (None, Some(places)) => {
                places.map(|places| WantedHold::Places(places.section, places.quantity))
            }
            (Some(_), Some(_)) => {
                errors.add("/general", "seats and places in one hold are not offered yet");
                None
            }
            (None, None) => {
                errors.require(!offered, "", "`seats` or `general` is required");
                None
            }
        };
        errors.into_result()?;
        wanted.ok_or_else(|| FormError::at("", "`seats` or `general` is required").into())
    }
}

fn check_seats(errors: &mut FormErrors, seats: Vec<String>) -> Vec<String> {
    errors.require(!seats.is_empty(), "/seats", "at least one seat");
    let mut seen = HashSet::new();
    for (place, label) in seats.iter().enumerate() {
        if !seen.insert(label) {
            errors.add(format!("/seats/{place}"), "this seat stands twice");
        }
    }
    seats
}

fn check_places(errors: &mut FormErrors, places: Vec<PlacesForm>) -> Option<PlacesForm> {
    errors.require(!places.is_empty(), "/general", "at least one section");
    let mut seen = HashSet::new();
    for (place, PlacesForm { section, quantity }) in places.iter().enumerate() {
        if !seen.insert(section) {
            errors.add(format!("/general/{place}/section"), "this section stands twice");
        }
        errors.require(*quantity > 0, &format!("/general/{place}/quantity"), "at least 1");
    }
    errors.require(places.len() <= 1, "/general", "several sections are not offered yet");
    places.into_iter().next()
}

impl WantedHold {
    /// The wish in the plan's own terms. What the plan does not have is left to the engine to refuse,
    /// by pointer, since a replay by key comes before that.
    ///
    /// # Errors
    /// `malformed-request` for seats of several sections.
    pub fn wish(&self, plan: &Plan) -> Result<Wish, Problem> {
        match self {
            Self::Seats(labels) => wish_for_seats(plan, labels),
            Self::Places(name, quantity) => {
                let section =
                    plan.section_of(name).filter(|section| match plan.section(*section).kind {
                        SectionKind::General { .. } => true,
                        SectionKind::Seated { .. } => false,
                    });
                Ok(match section {
                    Some(section) => Wish::Claim(section, Claim::Places(*quantity)),
                    None => Wish::Unknown(vec!["/general/0/section".into()]),
                })
            }
        }
    }
}

fn wish_for_seats(plan: &Plan, labels: &[String]) -> Result<Wish, Problem> {
    let mut seats = Vec::with_capacity(labels.len());
    let mut unknown = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        match plan.seat_of(label) {
            Some(seat) => seats.push(seat),
            None => unknown.push(format!("/seats/{place}")),
        }
    }
    let Some(first) = seats.first().filter(|_| unknown.is_empty()) else {
        return Ok(Wish::Unknown(unknown));
    };
    let section = plan.seat(*first).section;
    let mut errors = FormErrors::default();
    for (place, seat) in seats.iter().enumerate() {
        if plan.seat(*seat).section != section {
            let detail = "seats of several sections in one hold are not offered yet";
            errors.add(format!("/seats/{place}"), detail);
        }
    }
    errors.into_result()?;
    Ok(Wish::Claim(section, Claim::Seats(seats)))
}
