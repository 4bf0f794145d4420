//! `PATCH /admin/events/{event_id}/admission` and `POST …/admission/revoke`: what an operator sets of a waiting
//! room.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use taquilla_engine::waiting_room::control::ControlPatch;
use utoipa::ToSchema;

use super::text::check_reason;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// As many as the configuration may say.
const CEILING_MAX: u32 = 100_000;

/// What changes; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeAdmission)]
pub struct AdmissionForm {
    /// Nobody new is let in while true; those inside go on.
    #[serde(default)]
    paused: Option<bool>,
    /// No more are let in a second, 0 to 100,000; null: as configured.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u32>, maximum = 100_000)]
    ceiling_per_second: Option<Option<u32>>,
    /// For the trail.
    #[serde(default)]
    reason: String,
}

/// Null is said, too.
fn given<'de, D, T>(value: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(value).map(Some)
}

/// Every admission token given so far is to be worth nothing.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RevokeAdmissions)]
pub struct RevokeForm {
    /// For the trail: 1 to 1,000 characters.
    reason: String,
}

/// A change that makes sense, with what the trail is told of it.
pub struct AdmissionChange {
    /// For the room.
    pub patch: ControlPatch,
    /// For the trail.
    pub reason: String,
    /// For the trail.
    pub detail: Value,
}

impl RequestBody for AdmissionForm {}
impl RequestBody for RevokeForm {}

impl AdmissionForm {
    /// What is to be done.
    ///
    /// # Errors
    /// `malformed-request`.
    pub fn check(self) -> Result<AdmissionChange, Problem> {
        let mut errors = FormErrors::default();
        check_reason(&mut errors, &self.reason, None);
        let changes = self.paused.is_some() || self.ceiling_per_second.is_some();
        errors.require(changes, "", "names paused, ceiling_per_second or both");
        let ceiling = self.ceiling_per_second.flatten();
        let in_bounds = ceiling.is_none_or(|ceiling| ceiling <= CEILING_MAX);
        errors.require(in_bounds, "/ceiling_per_second", "is 0 to 100,000, or null");
        errors.into_result()?;
        let mut detail = json!({});
        if let Some(paused) = self.paused {
            detail["paused"] = json!(paused);
        }
        if let Some(ceiling) = self.ceiling_per_second {
            detail["ceiling_per_second"] = json!(ceiling);
        }
        let ceiling = self.ceiling_per_second.map(|ceiling| ceiling.map(f64::from));
        let patch = ControlPatch { paused: self.paused, ceiling, revokes: false };
        Ok(AdmissionChange { patch, reason: self.reason, detail })
    }
}

impl RevokeForm {
    /// What is to be done.
    ///
    /// # Errors
    /// `malformed-request`, for one without a reason.
    pub fn check(self) -> Result<AdmissionChange, Problem> {
        let mut errors = FormErrors::default();
        let needed = "a revocation has a reason, for the trail";
        check_reason(&mut errors, &self.reason, Some(needed));
        errors.into_result()?;
        let patch = ControlPatch { revokes: true, ..ControlPatch::default() };
        Ok(AdmissionChange { patch, reason: self.reason, detail: json!({}) })
    }
}
