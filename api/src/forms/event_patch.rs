//! `PATCH /admin/events/{id}`: what changes of an event; what is not named stays as it is.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use taquilla_engine::id::SectionIndex;
use taquilla_engine::operation::{EventChange, ListedArtist, Listing, SalePatch, TermsPatch};
use taquilla_engine::plan::Plan;
use utoipa::ToSchema;

use super::blocks::REASON_CHARS_MAX;
use super::event::sale::SaleForm;
use super::event::tiers::{TierForm, check_tiers};
use super::event::{PROSE_CHARS_MAX, check_artists};
use super::hold::general_section;
use super::text::{check_name, check_prose};
use crate::problem::Problem;
use crate::strict::{FormErrors, RequestBody};
use crate::views::Instant;

/// As in a plan.
const PLACES_MAX: u32 = 1_000_000;

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

impl RequestBody for EventPatchForm {
    /// Two thousand sections, and prose.
    const BYTES_MAX: usize = 1024 * 1024;
}

impl EventPatchForm {
    /// What is to be changed.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(&self, plan: &Plan) -> Result<EventChange, Problem> {
        let mut errors = FormErrors::default();
        self.check_texts(&mut errors);
        let artists = self.artists.as_deref().map(|names| check_artists(&mut errors, names));
        let (sale, verifying_extension) = match &self.sale {
            Some(sale) => sale.patch(&mut errors),
            None => (SalePatch::default(), None),
        };
        let tiers = self.price_tiers.as_deref().map(|tiers| check_tiers(&mut errors, tiers));
        let tiers = tiers.unwrap_or_default().into_iter();
        let capacities = self.capacities(plan, &mut errors);
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
                verifying_extension,
                artists: artists.map(|artists| artists.into_iter().map(listed).collect()),
            },
            sale,
            prices: tiers.map(|tier| (tier.name.into(), tier.price)).collect(),
            capacities,
        };
        let named = self.price_tiers.is_some() || self.general.is_some();
        let changes = named || patch != TermsPatch::default();
        errors.require(changes, "", "the change is empty: name at least one field to be changed");
        errors.into_result()?;
        Ok(EventChange::Terms(Box::new(patch)))
    }

    /// Whether a general section may have another capacity afterwards.
    #[must_use]
    pub fn sets_capacities(&self) -> bool {
        self.general.is_some()
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
        check_prose(errors, "/reason", &self.reason, REASON_CHARS_MAX);
    }

    fn capacities(&self, plan: &Plan, errors: &mut FormErrors) -> Vec<(SectionIndex, u32)> {
        let forms = self.general.as_deref().unwrap_or_default();
        errors.require(self.general.is_none() || !forms.is_empty(), "/general", "at least one");
        let mut seen = HashSet::new();
        let mut capacities = Vec::with_capacity(forms.len());
        for (place, CapacityForm { section, capacity }) in forms.iter().enumerate() {
            let at = format!("/general/{place}");
            let detail = format!("0 to {PLACES_MAX} places");
            errors.require(*capacity <= PLACES_MAX, &format!("{at}/capacity"), &detail);
            match general_section(plan, section) {
                None => {
                    errors.add(format!("{at}/section"), "the event has no such general section");
                }
                Some(index) if !seen.insert(index) => {
                    errors.add(format!("{at}/section"), "this section stands twice");
                }
                Some(index) => capacities.push((index, *capacity)),
            }
        }
        capacities
    }
}
