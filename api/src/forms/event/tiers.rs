//! Price tiers, and which section and category is sold at which.

mod coverage;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use taquilla_engine::money::AMOUNT_MAX;
use taquilla_engine::name::canonical;
use taquilla_engine::plan::Tier;
use utoipa::ToSchema;

pub(in crate::forms) use self::coverage::GivenTiers;
use crate::forms::fee::amount;
use crate::forms::text::check_label;
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
        check_label(errors, &format!("{at}/tier"), &form.tier);
        errors.require(names.insert(canonical(&form.tier)), &at, "this tier stands twice");
        let price = amount(form.amount);
        let detail = format!("at most {AMOUNT_MAX}");
        errors.require(price.is_some(), &format!("{at}/amount"), &detail);
        Tier { name: form.tier.clone(), price: price.unwrap_or_default() }
    });
    tier.collect()
}
