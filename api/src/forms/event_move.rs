//! `PATCH /admin/events/{id}` with `plan_version`: an event moved to a later version of its hall's plan.

use std::collections::BTreeMap;

use taquilla_engine::id::PlanId;
use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::{EventMove, EventRecord, SeatingPlan, SectionTier, Venue};

use super::event::tiers::GivenTiers;
use super::event_patch::EventPatchForm;
use super::text::check_reason;
use crate::problem::Problem;
use crate::strict::{FormError, FormErrors};

/// A move of the right form; only the venue and the event are still to be asked.
pub struct EventMoveForm<'a> {
    form: &'a EventPatchForm,
    version: u32,
}

impl EventPatchForm {
    /// The move that is asked for, if one is.
    ///
    /// # Errors
    /// `malformed-request`, with all that does not go with it.
    pub fn moves(&self) -> Result<Option<EventMoveForm<'_>>, Problem> {
        let Some(version) = self.plan_version else { return Ok(None) };
        let mut errors = FormErrors::default();
        for name in self.beside_a_plan() {
            errors.add(format!("/{name}"), "another version of the plan is asked for by itself");
        }
        check_reason(&mut errors, &self.reason, None);
        errors.into_result()?;
        Ok(Some(EventMoveForm { form: self, version }))
    }
}

impl EventMoveForm<'_> {
    /// The plan that is asked for, of all of the venue.
    ///
    /// # Errors
    /// `malformed-request`, if the event's hall has no such version, or the event has a later one.
    pub fn plan(&self, plans: Vec<Venue>, event: &EventRecord) -> Result<SeatingPlan, Problem> {
        let (hall, has) = (&event.summary.hall, event.summary.plan_version);
        let of_hall = plans.into_iter().map(|venue| venue.plan);
        let mut of_hall = of_hall.filter(|plan| canonical(&plan.hall) == canonical(hall));
        let no = |detail: String| Err(FormError::at("/plan_version", detail).into());
        if self.version < has {
            return no(format!(
                "the event has version {has} already: make the earlier plan the hall's next version"
            ));
        }
        match of_hall.find(|plan| plan.version == self.version) {
            Some(plan) => Ok(plan),
            None => no(format!("{hall} has no such version")),
        }
    }

    /// The move to this plan, of an event that sells at these tiers.
    ///
    /// # Errors
    /// `malformed-request`, for all that would be without a tier, and all tiers of nothing new.
    pub fn to(
        &self,
        plan: &SeatingPlan,
        event: &EventRecord,
        sold: &[SectionTier],
    ) -> Result<EventMove, Problem> {
        let none = BTreeMap::new();
        let given = GivenTiers {
            sections: self.form.section_tiers.as_ref().unwrap_or(&none),
            categories: self.form.category_tiers.as_ref().unwrap_or(&none),
            tiers: &event.tiers,
        };
        let mut errors = FormErrors::default();
        let tiers = given.cover_new(&mut errors, plan, sold);
        errors.into_result()?;
        Ok(EventMove {
            event: event.summary.id.event(),
            from: PlanId(event.summary.plan),
            to: PlanId(plan.id),
            version: plan.version,
            tiers,
        })
    }
}
