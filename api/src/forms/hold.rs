//! `POST /holds`: which seats or places.

use std::collections::HashSet;

use serde::Deserialize;
use taquilla_engine::command::{BestWish, Wish};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::SectionIndex;
use taquilla_engine::name::canonical;
use taquilla_engine::plan::{Plan, SectionKind};
use utoipa::ToSchema;
use uuid::Uuid;

use super::id;
use super::number::check_quantity;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// What a buyer asks for: `seats`, `general` or both, or `best_available` alone. A price is not among
/// it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaceHold)]
pub struct HoldForm {
    /// In which event: its id, not its slug.
    #[serde(deserialize_with = "id::of_event")]
    pub event_id: Uuid,
    /// Labels, of any sections, none twice.
    seats: Option<Vec<String>>,
    /// Places of general sections, none twice.
    general: Option<Vec<PlacesForm>>,
    /// The best there is.
    best_available: Option<BestForm>,
    /// Whether a part is better than nothing.
    #[serde(default)]
    accept_fewer: bool,
}

/// Places of a general section.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Places)]
pub struct PlacesForm {
    section: String,
    /// 1 to 1,000,000.
    #[schema(minimum = 1, maximum = 1_000_000)]
    quantity: u32,
}

/// Seats that the house chooses: side by side if that can be, nearest to the front and centre first.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BestAvailable)]
pub struct BestForm {
    /// 1 to 1,000,000.
    #[schema(minimum = 1, maximum = 1_000_000)]
    quantity: u32,
    /// Only in this section.
    section: Option<String>,
    /// Only of this price class.
    tier: Option<String>,
    /// Side by side or not at all; otherwise a party is split where it must be.
    #[serde(default)]
    adjacent: bool,
    /// With an accessible seat among them, which nobody else is given.
    #[serde(default)]
    accessible: bool,
}

/// A form in which everything fits together; only the event's plan is still to be asked.
pub struct WantedHold {
    what: Wanted,
    accept_fewer: bool,
}

enum Wanted {
    Named { seats: Vec<String>, places: Vec<PlacesForm> },
    Best(BestForm),
}

impl RequestBody for HoldForm {}

impl HoldForm {
    /// What is wanted.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(self) -> Result<WantedHold, Problem> {
        let mut errors = FormErrors::default();
        let named = self.seats.is_some() || self.general.is_some();
        if let Some(seats) = &self.seats {
            check_seats(&mut errors, seats);
        }
        if let Some(places) = &self.general {
            check_places(&mut errors, places);
        }
        let what = match self.best_available {
            Some(best) => {
                let at = "/best_available";
                check_quantity(&mut errors, &format!("{at}/quantity"), best.quantity);
                errors.require(!named, at, "stands alone, without `seats` and `general`");
                Wanted::Best(best)
            }
            None => {
                let detail = "`seats`, `general` or `best_available` is required";
                errors.require(named, "", detail);
                let (seats, places) = (self.seats.unwrap_or_default(), self.general);
                Wanted::Named { seats, places: places.unwrap_or_default() }
            }
        };
        errors.into_result()?;
        Ok(WantedHold { what, accept_fewer: self.accept_fewer })
    }
}

fn check_seats(errors: &mut FormErrors, seats: &[String]) {
    errors.require(!seats.is_empty(), "/seats", "at least one seat");
    let mut seen = HashSet::new();
    for (place, label) in seats.iter().enumerate() {
        if !seen.insert(canonical(label)) {
            errors.add(format!("/seats/{place}"), "this seat stands twice");
        }
    }
}

fn check_places(errors: &mut FormErrors, places: &[PlacesForm]) {
    errors.require(!places.is_empty(), "/general", "at least one section");
    let mut seen = HashSet::new();
    for (place, PlacesForm { section, quantity }) in places.iter().enumerate() {
        if !seen.insert(canonical(section)) {
            errors.add(format!("/general/{place}/section"), "this section stands twice");
        }
        check_quantity(errors, &format!("/general/{place}/quantity"), *quantity);
    }
}

impl WantedHold {
    /// The wish in the plan's own terms. What the plan does not have is left to the engine to refuse,
    /// by pointer, since a replay by key comes before that.
    #[must_use]
    pub fn wish(&self, plan: &Plan) -> Wish {
        let accept_fewer = self.accept_fewer;
        let wish = match &self.what {
            Wanted::Named { seats, places } => {
                claim(plan, seats, places).map(|claim| Wish::Claim { claim, accept_fewer })
            }
            Wanted::Best(best) => best.wish(plan).map(|wish| Wish::Best { wish, accept_fewer }),
        };
        wish.unwrap_or_else(Wish::Unknown)
    }
}

/// The claim, or the pointers of what the plan does not have. Nothing stands twice by its name, so
/// nothing does by its index.
fn claim(plan: &Plan, seats: &[String], places: &[PlacesForm]) -> Result<Claim, Vec<String>> {
    let (mut claim, mut unknown) = (Claim::default(), Vec::new());
    for (place, label) in seats.iter().enumerate() {
        match plan.seat_of(label) {
            Some(seat) => claim.seats.push(seat),
            None => unknown.push(format!("/seats/{place}")),
        }
    }
    for (place, PlacesForm { section, quantity }) in places.iter().enumerate() {
        match general_section(plan, section) {
            Some(section) => claim.places.push((section, *quantity)),
            None => unknown.push(format!("/general/{place}/section")),
        }
    }
    if unknown.is_empty() { Ok(claim) } else { Err(unknown) }
}

/// The general section of this name.
pub(super) fn general_section(plan: &Plan, name: &str) -> Option<SectionIndex> {
    plan.section_of(name).filter(|section| match plan.section(*section).kind {
        SectionKind::General { .. } => true,
        SectionKind::Seated { .. } => false,
    })
}

fn seated_section(plan: &Plan, name: &str) -> Option<SectionIndex> {
    plan.section_of(name).filter(|section| match plan.section(*section).kind {
        SectionKind::Seated { .. } => true,
        SectionKind::General { .. } => false,
    })
}

impl BestForm {
    fn wish(&self, plan: &Plan) -> Result<BestWish, Vec<String>> {
        let section = self.section.as_deref().map(|name| seated_section(plan, name));
        let tier = self.tier.as_deref().map(|name| plan.tier_of(name));
        let mut unknown = Vec::new();
        if section == Some(None) {
            unknown.push("/best_available/section".to_owned());
        }
        if tier == Some(None) {
            unknown.push("/best_available/tier".to_owned());
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        Ok(BestWish {
            quantity: self.quantity,
            section: section.flatten(),
            tier: tier.flatten(),
            adjacent: self.adjacent,
            accessible: self.accessible,
        })
    }
}
