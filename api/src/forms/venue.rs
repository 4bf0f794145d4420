//! `POST /admin/venues`: a venue and its seating plan.

use chrono_tz::Tz;
use serde::Deserialize;
use taquilla_persistence::catalogue::NewVenue;
use utoipa::ToSchema;
use uuid::Uuid;

use super::plan::PlanForm;
use super::text::{check_name, check_slug};
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// A venue as an operator makes it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CreateVenue)]
pub struct VenueForm {
    name: String,
    /// Unique among venues: 1 to 100 of a-z, 0-9 and -.
    slug: String,
    city: String,
    /// ISO 3166, two capital letters.
    #[schema(example = "ES")]
    country: String,
    lat: f64,
    lon: f64,
    /// An IANA name.
    #[schema(example = "Europe/Madrid")]
    timezone: String,
    plan: PlanForm,
}

impl RequestBody for VenueForm {
    /// Seating plans as other systems write them have a few hundred bytes a seat.
    const BYTES_MAX: usize = 32 * 1024 * 1024;
}

impl VenueForm {
    /// The venue, laid out.
    ///
    /// # Errors
    /// `malformed-request` with all that is wrong with the form, else `plan-invalid` with all defects
    /// of the plan.
    pub fn check(self, id: Uuid) -> Result<NewVenue, Problem> {
        let mut errors = FormErrors::default();
        check_name(&mut errors, "/name", &self.name);
        check_slug(&mut errors, "/slug", &self.slug);
        check_name(&mut errors, "/city", &self.city);
        let letters = self.country.bytes().all(|byte| byte.is_ascii_uppercase());
        errors.require(letters && self.country.len() == 2, "/country", "two capital letters");
        errors.require(self.lat.abs() <= 90.0, "/lat", "within 90 degrees");
        errors.require(self.lon.abs() <= 180.0, "/lon", "within 180 degrees");
        let zone = self.timezone.parse::<Tz>().is_ok();
        errors.require(zone, "/timezone", "an IANA time zone such as Europe/Madrid");
        let plan = self.plan.check(&mut errors);
        errors.into_result()?;
        Ok(NewVenue {
            id,
            slug: self.slug,
            name: self.name,
            city: self.city,
            country: self.country,
            lat: self.lat,
            lon: self.lon,
            timezone: self.timezone,
            categories: Vec::new(),
            sections: plan.lay_out()?,
        })
    }
}
