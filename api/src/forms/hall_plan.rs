//! `POST /admin/venues/{id}/plans`: a plan of a venue that is there.

use std::borrow::Cow;

use serde_json::value::RawValue;
use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::{SeatingPlan, Venue};
use utoipa::ToSchema;

use super::hall::{chosen_hall, names};
use super::plan::PlanForm;
use super::text::check_label;
use super::venue::Refused;
use crate::plans::{Base, Defect, Plan, Rejected, Sheet};
use crate::problem::Problem;
use crate::strict::{FormError, FormErrors, pieces, pointer_token};

/// A plan of a hall, for the interface's document.
#[derive(ToSchema)]
#[schema(as = CreatePlan)]
pub struct HallPlanSchema {
    /// Which hall: one that is there, whose next version this is, or a new one. It may be left out where there
    /// is only one.
    #[schema(required = false)]
    pub hall: Option<String>,
    /// As a venue's.
    pub plan: PlanForm,
}

/// A request of the right form.
#[derive(Debug)]
pub struct HallPlan {
    /// As asked for.
    pub hall: Option<String>,
    /// All defects that it has by itself.
    pub plan: Result<Plan, Vec<Defect>>,
}

const MEMBERS: [&str; 2] = ["hall", "plan"];

impl HallPlan {
    /// Of a whole body.
    ///
    /// # Errors
    /// All that is wrong with the form.
    pub fn read(body: &[u8]) -> Result<Self, Refused> {
        let form = |error: FormError| Refused::Form(vec![error].into());
        let body = pieces::document(body).map_err(form)?;
        let picked = pieces::pick(body, MEMBERS)
            .map_err(|_| form(FormError::at("", "the body must be an object")))?;
        let mut noted = FormErrors::default();
        for name in &picked.unknown {
            noted.add(format!("/{}", pointer_token(name)), "this name is not known here");
        }
        for (name, _) in MEMBERS.iter().zip(picked.twice).filter(|(_, twice)| *twice) {
            noted.add(format!("/{name}"), "this key stands twice");
        }
        let [hall, plan] = picked.values;
        let hall = hall.and_then(|hall| read_hall(hall, &mut noted));
        noted.require(plan.is_some(), "/plan", "this is required");
        let plan = plan.map(|plan| Sheet::of_plan(plan, Base::Venue).check());
        match plan {
            Some(Err(Rejected::Form(defects))) => {
                defects.into_iter().for_each(|it| noted.add(it.r#where, it.detail));
                Err(Refused::Form(noted))
            }
            Some(Err(Rejected::Plan(defects))) if noted.is_empty() => {
                Ok(Self { hall, plan: Err(defects) })
            }
            Some(Ok(plan)) if noted.is_empty() => Ok(Self { hall, plan: Ok(plan) }),
            Some(Ok(_) | Err(Rejected::Plan(_))) | None => Err(Refused::Form(noted)),
        }
    }
}

impl HallPlan {
    /// The hall that is meant and the version that this makes of it; `None` before the first. `plans` are all of
    /// the venue.
    ///
    /// # Errors
    /// As for an event, but that a new name is a new hall.
    pub fn hall(&self, plans: Vec<Venue>) -> Result<(String, Option<SeatingPlan>), Problem> {
        let asked = self.hall.as_deref();
        let is_it = |name: &&str| asked.is_some_and(|hall| canonical(name) == canonical(hall));
        if let Some(hall) = asked.filter(|_| !names(&plans).iter().any(is_it) && !plans.is_empty())
        {
            return Ok((hall.to_owned(), None));
        }
        let latest = chosen_hall(plans, asked)?.pop().expect("a hall has a plan");
        Ok((latest.plan.hall.clone(), Some(latest.plan)))
    }
}

fn read_hall(piece: &RawValue, noted: &mut FormErrors) -> Option<String> {
    match pieces::text(piece) {
        Ok(hall) => {
            check_label(noted, "/hall", &hall);
            Some(Cow::into_owned(hall))
        }
        Err(pieces::Kind::Null) => None,
        Err(kind) => {
            noted.add("/hall", format!("expected a string, found {kind}"));
            None
        }
    }
}
