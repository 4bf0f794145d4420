//! Price tiers, and which section is sold at which.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use taquilla_engine::money::AMOUNT_MAX;
use taquilla_engine::plan::Tier;
use taquilla_persistence::catalogue::Venue;
use utoipa::ToSchema;

use crate::forms::fee::amount;
use crate::forms::text::check_name;
use crate::strict::FormErrors;

/// People choose among them.
const TIERS_MAX: usize = 500;

/// A price class.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TierTerms)]
pub(in crate::forms) struct TierForm {
    /// Unique in the event.
    tier: String,
    /// Minor units of the event's currency.
    amount: u64,
}

/// The tiers; what is wrong is noted.
pub(in crate::forms) fn check_tiers(errors: &mut FormErrors, forms: &[TierForm]) -> Vec<Tier> {
    errors.require(!forms.is_empty(), "/price_tiers", "at least one");
    errors.require(forms.len() <= TIERS_MAX, "/price_tiers", "500 at most");
    let mut names = HashSet::new();
    let tier = forms.iter().enumerate().map(|(place, form)| {
        let at = format!("/price_tiers/{place}");
        check_name(errors, &format!("{at}/tier"), &form.tier);
        errors.require(names.insert(&form.tier), &at, "this tier stands twice");
        let price = amount(form.amount);
        let detail = format!("at most {AMOUNT_MAX}");
        errors.require(price.is_some(), &format!("{at}/amount"), &detail);
        Tier { name: form.tier.clone(), price: price.unwrap_or_default() }
    });
    tier.collect()
}

/// For each section of the venue the place of its tier. All sections without one are noted, and all
/// entries that name no section or no tier.
pub(super) fn cover_sections(
    errors: &mut FormErrors,
    venue: &Venue,
    tiers: &[Tier],
    section_tiers: &BTreeMap<String, String>,
) -> Vec<u16> {
    let known: HashSet<_> = venue.sections.iter().map(|section| &section.name).collect();
    for section in section_tiers.keys().filter(|section| !known.contains(section)) {
        errors.add(pointer(section), "the venue has no such section");
    }
    let mut place = |section: &str| {
        let Some(name) = section_tiers.get(section) else {
            errors.add(pointer(section), "this section has no tier");
            return 0;
        };
        let place = tiers.iter().position(|tier| tier.name == *name);
        errors.require(place.is_some(), &pointer(section), "there is no such tier");
        u16::try_from(place.unwrap_or_default()).expect("tiers are 500 at most")
    };
    venue.sections.iter().map(|section| place(&section.name)).collect()
}

fn pointer(section: &str) -> String {
    format!("/section_tiers/{}", section.replace('~', "~0").replace('/', "~1"))
}
