//! `PATCH /admin/events/{id}`: what changes of an event; what is not named stays as it is.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use taquilla_engine::name::canonical;
use taquilla_engine::operation::{EventChange, ListedArtist, Listing, TermsPatch};
use taquilla_engine::plan::Plan;
use utoipa::ToSchema;

use super::event::sale::SaleForm;
use super::event::tiers::{TierForm, check_tiers};
use super::event::{PROSE_CHARS_MAX, check_artists};
use super::hold::general_section;
use super::text::{check_name, check_prose, check_reason};
use crate::instant::Instant;
use crate::plans::limits::PLACES_MAX;
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};

/// Changes of an event, at least one. All of it is done or none.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeEvent)]
pub struct EventPatchForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<String>,
    /// All of them, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    artists: Option<Vec<String>>,
    /// The sale closes when it was to.
    #[serde(skip_serializing_if = "Option::is_none")]
    starts_at: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sale: Option<SaleForm>,
    /// Every tier with its price, for holds from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    price_tiers: Option<Vec<TierForm>>,
    /// Capacities of general sections; others stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    general: Option<Vec<CapacityForm>>,
    /// A later version of the plan of the event's hall. It stands alone in its request, but for tiers of what it
    /// brings and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plan_version: Option<u32>,
    /// With `plan_version`: the tier of each section that the event has not sold yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section_tiers: Option<BTreeMap<String, String>>,
    /// With `plan_version`: the tier of each category that the event has not sold yet in a section which
    /// `section_tiers` does not name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) category_tiers: Option<BTreeMap<String, String>>,
    /// For the trail.
    #[serde(default, skip_serializing)]
    pub reason: String,
}

/// How many people may be in a general section.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SetCapacity)]
struct CapacityForm {
    section: String,
    /// 0 to 1,000,000; not below what is held and sold.
    capacity: u32,
}

/// A change of the right form; only the event's plan is still to be asked.
pub struct CheckedPatch<'a> {
    /// All but the capacities.
    patch: TermsPatch,
    general: &'a [CapacityForm],
}

impl RequestBody for EventPatchForm {
    /// Two thousand sections, and prose.
    const BYTES_MAX: usize = 1024 * 1024;
}

impl EventPatchForm {
    /// The members that are named and go with no other version of the plan.
    pub(super) fn beside_a_plan(&self) -> Vec<&'static str> {
        let named = [
            ("name", self.name.is_some()),
            ("description", self.description.is_some()),
            ("category", self.category.is_some()),
            ("conditions", self.conditions.is_some()),
            ("artists", self.artists.is_some()),
            ("starts_at", self.starts_at.is_some()),
            ("sale", self.sale.is_some()),
            ("price_tiers", self.price_tiers.is_some()),
            ("general", self.general.is_some()),
        ];
        named.into_iter().filter(|(_, is_named)| *is_named).map(|(name, _)| name).collect()
    }

    /// What the form says by itself.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(&self) -> Result<CheckedPatch<'_>, Problem> {
        let mut errors = FormErrors::default();
        for (at, tiers) in
            [("/section_tiers", &self.section_tiers), ("/category_tiers", &self.category_tiers)]
        {
            errors.require(
                tiers.is_none(),
                at,
                "only with `plan_version`, for what the version brings",
            );
        }
        self.check_texts(&mut errors);
        let artists = self.artists.as_deref().map(|names| check_artists(&mut errors, names));
        let sale = self.sale.as_ref().map(|sale| sale.patch(&mut errors)).unwrap_or_default();
        let tiers = self.price_tiers.as_deref().map(|tiers| check_tiers(&mut errors, tiers));
        let tiers = tiers.unwrap_or_default().into_iter();
        self.check_capacities(&mut errors);
        let listed = |artist: taquilla_persistence::catalogue::Artist| ListedArtist {
            id: artist.id,
            slug: artist.slug,
            name: artist.name,
        };
        let patch = TermsPatch {
            listing: Listing {
                name: self.name.clone(),
                description: self.description.clone(),
                category: self.category.clone(),
                conditions: self.conditions.clone(),
                starts_at: self.starts_at.map(|at| at.0),
                artists: artists.map(|artists| artists.into_iter().map(listed).collect()),
            },
            sale,
            prices: tiers.map(|tier| (tier.name.into(), tier.price)).collect(),
            capacities: Vec::new(),
        };
        let named = self.price_tiers.is_some() || self.general.is_some();
        let changes = named || patch != TermsPatch::default();
        errors.require(changes, "", "the change is empty: name at least one field to be changed");
        errors.into_result()?;
        Ok(CheckedPatch { patch, general: self.general.as_deref().unwrap_or_default() })
    }

    fn check_texts(&self, errors: &mut FormErrors) {
        for (pointer, name) in [("/name", &self.name), ("/category", &self.category)] {
            if let Some(name) = name {
                check_name(errors, pointer, name);
            }
        }
        let prose = [("/description", &self.description), ("/conditions", &self.conditions)];
        for (pointer, prose) in prose {
            if let Some(prose) = prose {
                check_prose(errors, pointer, prose, PROSE_CHARS_MAX);
            }
        }
        check_reason(errors, &self.reason, None);
    }

    fn check_capacities(&self, errors: &mut FormErrors) {
        let Some(forms) = &self.general else { return };
        errors.require(!forms.is_empty(), "/general", "at least one");
        let mut seen = HashSet::new();
        for (place, CapacityForm { section, capacity }) in forms.iter().enumerate() {
            let at = format!("/general/{place}");
            let detail = format!("0 to {PLACES_MAX} places");
            errors.require(*capacity <= PLACES_MAX, &format!("{at}/capacity"), &detail);
            let once = seen.insert(canonical(section));
            errors.require(once, &format!("{at}/section"), "this section stands twice");
        }
    }
}

impl CheckedPatch<'_> {
    /// What is to be changed in this plan.
    ///
    /// # Errors
    /// `malformed-request`, with every general section that the plan does not have.
    pub fn at(self, plan: &Plan) -> Result<EventChange, Problem> {
        let mut errors = FormErrors::default();
        let forms = self.general.iter().enumerate();
        let capacities = forms.filter_map(|(place, CapacityForm { section, capacity })| {
            let index = general_section(plan, section);
            let at = format!("/general/{place}/section");
            errors.require(index.is_some(), &at, "the event has no such general section");
            Some((index?, *capacity))
        });
        let patch = TermsPatch { capacities: capacities.collect(), ..self.patch };
        errors.into_result()?;
        Ok(EventChange::Terms(Box::new(patch)))
    }
}
