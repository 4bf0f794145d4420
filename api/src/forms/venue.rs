//! `POST /admin/venues`: a venue and its seating plan. `GET /admin/venues`.

use std::borrow::Cow;

use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::value::RawValue;
use taquilla_persistence::catalogue::{NewVenue, VenuePosition};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};
use uuid::Uuid;

use super::number::Limit;
use super::plan::PlanForm;
use super::text::{check_label, check_name, check_slug};
use crate::cursor::Cursor;
use crate::plans::{Base, Defect, Plan, Rejected, Repair, Sheet};
use crate::problem::{Problem, table};
use crate::strict::{FormError, FormErrors, pieces, pointer_token};

/// A venue as an operator makes it, with what could be read of it.
#[derive(Debug)]
pub struct VenueForm {
    noted: FormErrors,
    fields: Option<VenueFields>,
    plan: Option<Sheet>,
}

/// A venue as an operator makes it, for the interface's document: [`VenueFields`] and a plan, in one
/// object.
pub struct VenueSchema;

/// What a venue is beside its plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VenueFields {
    /// As printed.
    pub name: String,
    /// Unique among venues: 1 to 100 of a-z, 0-9 and -.
    pub slug: String,
    /// As printed.
    pub city: String,
    /// ISO 3166, two capital letters.
    #[schema(example = "ES")]
    pub country: String,
    /// Degrees, within 90.
    pub lat: f64,
    /// Degrees, within 180.
    pub lon: f64,
    /// An IANA name.
    #[schema(example = "Europe/Madrid")]
    pub timezone: String,
    /// What the hall is called that the plan is of; `main` unless said.
    pub hall: Option<String>,
}

impl PartialSchema for VenueSchema {
    fn schema() -> RefOr<Schema> {
        let RefOr::T(Schema::Object(mut venue)) = VenueFields::schema() else {
            unreachable!("fields are members of an object")
        };
        venue.description = Some("A venue as an operator makes it.".into());
        let plan = Ref::from_schema_name(PlanForm::name());
        venue.properties.insert("plan".into(), plan.into());
        venue.required.push("plan".into());
        venue.into()
    }
}

impl ToSchema for VenueSchema {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("CreateVenue")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((PlanForm::name().into(), PlanForm::schema()));
        PlanForm::schemas(schemas);
    }
}

/// Which venues.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct VenuesQuery {
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor<VenuePosition>>,
    /// 1 to 100, 20 unless said.
    #[param(value_type = Option<u16>)]
    pub limit: Option<Limit>,
}

/// Why there is no venue.
#[derive(Clone, Debug)]
pub enum Refused {
    /// The form is wrong in these places.
    Form(FormErrors),
    /// The plan has these defects.
    Plan(Vec<Defect>),
}

/// What a venue's hall is called, unless said.
const ONLY_HALL: &str = "main";

const MEMBERS: [&str; 9] =
    ["name", "slug", "city", "country", "lat", "lon", "timezone", "hall", "plan"];

impl VenueForm {
    /// Of a whole body.
    ///
    /// # Errors
    /// For a body that is no JSON object.
    pub fn read(body: &[u8]) -> Result<Self, FormError> {
        Self::of(pieces::document(body)?)
    }

    /// Of a whole body that is JSON. What is wrong is noted.
    ///
    /// # Errors
    /// For a body that is no object.
    pub fn of(body: &RawValue) -> Result<Self, FormError> {
        let picked = pieces::pick(body, MEMBERS)
            .map_err(|_| FormError::at("", "the body must be an object"))?;
        let mut noted = FormErrors::default();
        for name in &picked.unknown {
            noted.add(format!("/{}", pointer_token(name)), "this name is not known here");
        }
        for (name, _) in MEMBERS.iter().zip(picked.twice).filter(|(_, twice)| *twice) {
            noted.add(format!("/{name}"), "this key stands twice");
        }
        let [fields @ .., plan] = picked.values;
        let fields = MEMBERS.into_iter().zip(fields);
        let fields = pieces::read_small(fields.filter_map(|(name, piece)| Some((name, piece?))));
        let fields = fields.map_err(|errors| noted.extend(errors)).ok();
        noted.require(plan.is_some(), "/plan", "this is required");
        let plan = plan.map(|plan| Sheet::of_plan(plan, Base::Venue));
        Ok(Self { noted, fields, plan })
    }

    /// Of these parts.
    #[must_use]
    pub fn new(fields: VenueFields, plan: Sheet) -> Self {
        Self { noted: FormErrors::default(), fields: Some(fields), plan: Some(plan) }
    }

    /// Mends what can be mended of the plan, and tells each change.
    pub fn repair(&mut self, told: &mut dyn FnMut(Repair)) {
        if let Some(plan) = &mut self.plan {
            plan.repair(told);
        }
    }

    /// The venue, laid out.
    ///
    /// # Errors
    /// All that is wrong with the form, or else all defects of the plan.
    pub fn check(self, id: Uuid) -> Result<NewVenue, Refused> {
        let mut noted = self.noted;
        if let Some(fields) = &self.fields {
            fields.check(&mut noted);
        }
        let plan = self.plan.map(Sheet::check).transpose();
        match (self.fields, plan) {
            (Some(fields), Ok(Some(plan))) if noted.is_empty() => Ok(fields.venue(id, plan)),
            (_, Err(Rejected::Plan(defects))) if noted.is_empty() => Err(Refused::Plan(defects)),
            (_, Err(Rejected::Form(defects))) => {
                defects.into_iter().for_each(|it| noted.add(it.r#where, it.detail));
                Err(Refused::Form(noted))
            }
            (_, Ok(_) | Err(Rejected::Plan(_))) => Err(Refused::Form(noted)),
        }
    }
}

impl VenueFields {
    fn check(&self, errors: &mut FormErrors) {
        check_name(errors, "/name", &self.name);
        check_slug(errors, "/slug", &self.slug);
        check_name(errors, "/city", &self.city);
        let letters = self.country.bytes().all(|byte| byte.is_ascii_uppercase());
        errors.require(letters && self.country.len() == 2, "/country", "two capital letters");
        errors.require(self.lat.abs() <= 90.0, "/lat", "within 90 degrees");
        errors.require(self.lon.abs() <= 180.0, "/lon", "within 180 degrees");
        let zone = self.timezone.parse::<Tz>().is_ok();
        errors.require(zone, "/timezone", "an IANA time zone such as Europe/Madrid");
        if let Some(hall) = &self.hall {
            check_label(errors, "/hall", hall);
        }
    }

    fn venue(self, id: Uuid, Plan { categories, sections }: Plan) -> NewVenue {
        NewVenue {
            id,
            slug: self.slug,
            name: self.name,
            city: self.city,
            country: self.country,
            lat: self.lat,
            lon: self.lon,
            timezone: self.timezone,
            hall: self.hall.unwrap_or_else(|| ONLY_HALL.into()),
            categories,
            sections,
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Form(errors) => errors.into_problem(),
            Refused::Plan(defects) => {
                let detail = match defects.as_slice() {
                    [only] => format!("the plan has a defect: {}", only.detail),
                    several => format!("the plan has {} defects", several.len()),
                };
                Self::new(&table::PLAN_INVALID, detail).with("defects", defects)
            }
        }
    }
}
