//! `POST /admin/events`: an event, its prices and its sale.

pub(super) mod sale;
pub(super) mod tiers;

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::name::canonical;
use taquilla_engine::pricing::{Fee, quote};
use taquilla_persistence::catalogue::{Artist, NewEvent, Venue};
use utoipa::ToSchema;
use uuid::Uuid;

use self::sale::SaleForm;
use self::tiers::{GivenTiers, TierForm, check_tiers};
use super::fee::FeeForm;
use super::hall::chosen_hall;
use super::text::{check_name, check_prose, check_slug};
use super::{currency, id};
use crate::instant::Instant;
use crate::problem::Problem;
use crate::slug::slug_of;
use crate::strict::{FormErrors, RequestBody};

/// A long text on a page.
pub(super) const PROSE_CHARS_MAX: usize = 20_000;
/// A festival's.
const ARTISTS_MAX: usize = 200;
/// A bill shows each.
const FEES_MAX: usize = 20;

/// An event as an operator makes it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CreateEvent)]
pub struct EventForm {
    /// Where: the venue's id, not its slug.
    #[serde(deserialize_with = "id::of_venue")]
    pub venue_id: Uuid,
    /// Which hall of it; needed only where there are several. The event has its latest plan.
    #[serde(default)]
    hall: Option<String>,
    name: String,
    /// Unique among events: 1 to 100 of a-z, 0-9 and -.
    slug: String,
    description: String,
    /// One word for lists.
    category: String,
    /// Names, in order.
    artists: Vec<String>,
    starts_at: Instant,
    /// ISO 4217.
    #[schema(example = "EUR")]
    currency: String,
    /// At least one.
    price_tiers: Vec<TierForm>,
    /// The tier of each section of the venue; of a section whose seats have categories only where all
    /// of it is sold at one tier, whatever the categories say.
    section_tiers: BTreeMap<String, String>,
    /// The tier of each category of a venue that has such, in the sections that `section_tiers` does
    /// not name.
    #[serde(default)]
    category_tiers: BTreeMap<String, String>,
    #[serde(default)]
    conditions: String,
    #[serde(default)]
    fees: Vec<FeeForm>,
    #[serde(default)]
    sale: SaleForm,
}

impl RequestBody for EventForm {
    /// Two thousand sections with their tiers.
    const BYTES_MAX: usize = 1024 * 1024;
}

/// An event of the right form; only the venue is still to be asked.
pub struct CheckedEvent {
    /// All but `section_tiers`.
    new: NewEvent,
    hall: Option<String>,
    section_tiers: BTreeMap<String, String>,
    category_tiers: BTreeMap<String, String>,
}

impl EventForm {
    /// What the form says by itself.
    ///
    /// # Errors
    /// `malformed-request`, with all that is wrong.
    pub fn check(self, random: [u8; 11], now: Moment) -> Result<CheckedEvent, Problem> {
        let mut errors = FormErrors::default();
        check_name(&mut errors, "/name", &self.name);
        check_slug(&mut errors, "/slug", &self.slug);
        check_prose(&mut errors, "/description", &self.description, PROSE_CHARS_MAX);
        check_name(&mut errors, "/category", &self.category);
        check_prose(&mut errors, "/conditions", &self.conditions, PROSE_CHARS_MAX);
        let currency = check_currency(&mut errors, &self.currency);
        let artists = check_artists(&mut errors, &self.artists);
        let fees = check_fees(&mut errors, &self.fees);
        let tiers = check_tiers(&mut errors, &self.price_tiers);
        let sale = self.sale.check(&mut errors, self.starts_at.0, now);
        for (place, tier) in tiers.iter().enumerate() {
            // The most that one buyer can be asked for at this price.
            let dearest = quote(&fees, [(tier.price, sale.buyer_seats_max)].into_iter());
            let at = format!("/price_tiers/{place}/amount");
            errors.require(dearest.is_some(), &at, "a buyer's total at this price is too large");
        }
        errors.into_result()?;
        let new = NewEvent {
            random,
            slug: self.slug,
            name: self.name,
            description: self.description,
            category: self.category,
            conditions: self.conditions,
            artists,
            starts_at: self.starts_at.0,
            currency,
            tiers,
            section_tiers: Vec::new(),
            fees,
            sale,
        };
        let (section_tiers, category_tiers) = (self.section_tiers, self.category_tiers);
        Ok(CheckedEvent { new, hall: self.hall, section_tiers, category_tiers })
    }
}

impl CheckedEvent {
    /// The venue with the latest plan of the hall that was asked for, of all its plans.
    ///
    /// # Errors
    /// `not-found` if there is no plan; `malformed-request` if the venue has no such hall, or several and
    /// none was asked for: it has their names.
    pub fn hall(&self, plans: Vec<Venue>) -> Result<Venue, Problem> {
        let latest = chosen_hall(plans, self.hall.as_deref())?;
        latest.last().cloned().ok_or_else(Problem::not_found)
    }

    /// The event at this venue.
    ///
    /// # Errors
    /// `malformed-request`, for sections and categories without a tier, and tiers without either: all of
    /// them.
    pub fn at(self, venue: &Venue) -> Result<NewEvent, Problem> {
        let mut errors = FormErrors::default();
        let given = GivenTiers {
            sections: &self.section_tiers,
            categories: &self.category_tiers,
            tiers: &self.new.tiers,
        };
        let section_tiers = given.cover(&mut errors, &venue.plan);
        errors.into_result()?;
        Ok(NewEvent { section_tiers, ..self.new })
    }
}

fn check_currency(errors: &mut FormErrors, code: &str) -> Currency {
    let known = currency::parse(code);
    errors.require(known.is_some(), "/currency", "a code of ISO 4217 in use today, such as EUR");
    known.unwrap_or_else(|| Currency::parse("XXX").expect("three capital letters"))
}

pub(super) fn check_artists(errors: &mut FormErrors, names: &[String]) -> Vec<Artist> {
    errors.require(names.len() <= ARTISTS_MAX, "/artists", "200 at most");
    let mut slugs = HashSet::new();
    let artists = names.iter().enumerate().map(|(place, name)| {
        let at = format!("/artists/{place}");
        check_name(errors, &at, name);
        let slug = slug_of(name);
        errors.require(slugs.insert(slug.clone()), &at, "this artist stands twice");
        Artist { id: Uuid::new_v4(), slug, name: name.clone() }
    });
    artists.collect()
}

fn check_fees(errors: &mut FormErrors, forms: &[FeeForm]) -> Vec<Fee> {
    errors.require(forms.len() <= FEES_MAX, "/fees", "20 at most");
    let mut names = HashSet::new();
    let fees = forms.iter().enumerate().map(|(place, form)| {
        let at = format!("/fees/{place}");
        errors.require(names.insert(canonical(&form.name)), &at, "this fee stands twice");
        form.check(errors, &at)
    });
    fees.collect()
}
