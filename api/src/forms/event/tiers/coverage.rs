//! Every seat and place that is sold has a tier. A section's own tier wins over its seats' categories:
//! whoever names a section means all of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use taquilla_engine::name::canonical;
use taquilla_engine::plan::Tier;
use taquilla_persistence::catalogue::{SeatingPlan, SectionTier};

use crate::strict::{FormErrors, pointer_token};

/// What an event's form says about tiers.
pub(in crate::forms) struct GivenTiers<'a> {
    /// `section_tiers`.
    pub(in crate::forms) sections: &'a BTreeMap<String, String>,
    /// `category_tiers`.
    pub(in crate::forms) categories: &'a BTreeMap<String, String>,
    /// `price_tiers`, 500 at most.
    pub(in crate::forms) tiers: &'a [Tier],
}

/// One of the two maps: the place of the tier by the canonical name.
type Places<'a> = HashMap<Cow<'a, str>, u16>;

impl GivenTiers<'_> {
    /// For each section of the plan places of tiers: one for each of its categories, or a single one
    /// if it has none; none at all for one that is dropped. Noted are all sections and categories without a tier, and all entries that name
    /// no section, category or tier.
    pub(in crate::forms) fn cover(
        &self,
        errors: &mut FormErrors,
        plan: &SeatingPlan,
    ) -> Vec<Vec<u16>> {
        self.cover_each(errors, plan, "the venue has no such")
    }

    fn cover_each(
        &self,
        errors: &mut FormErrors,
        plan: &SeatingPlan,
        unknown: &str,
    ) -> Vec<Vec<u16>> {
        let there = || plan.sections.iter().filter(|section| !section.is_dropped());
        let names = there().map(|section| section.name.as_str());
        let sections = self.places(errors, ("section", unknown), self.sections, names);
        let names = plan.categories.iter().map(String::as_str);
        let categories = self.places(errors, ("category", unknown), self.categories, names);
        let mut missing = BTreeSet::new();
        let mut tiers_of = Vec::with_capacity(plan.sections.len());
        for section in &plan.sections {
            if section.is_dropped() {
                tiers_of.push(Vec::new());
                continue;
            }
            if let Some(tier) = sections.get(&canonical(&section.name)) {
                tiers_of.push(vec![*tier; section.categories.len().max(1)]);
                continue;
            }
            if section.categories.is_empty() {
                errors.add(pointer("section", &section.name), "this section has no tier");
            }
            let tier = |category: &u16| {
                let tier = categories.get(&canonical(&plan.categories[usize::from(*category)]));
                if tier.is_none() {
                    missing.insert(*category);
                }
                tier.copied().unwrap_or_default()
            };
            tiers_of.push(section.categories.iter().map(tier).collect());
        }
        for category in missing {
            let name = &plan.categories[usize::from(category)];
            errors.add(pointer("category", name), "this category has no tier");
        }
        tiers_of
    }

    /// What the plan has and the event does not sell yet, with its tier. Noted are all sections and categories that
    /// would be without one, and all entries that name nothing new.
    pub(in crate::forms) fn cover_new(
        &self,
        errors: &mut FormErrors,
        plan: &SeatingPlan,
        sold: &[SectionTier],
    ) -> Vec<SectionTier> {
        let sold: HashSet<(u16, Option<u16>)> =
            sold.iter().map(|it| (it.section, it.category)).collect();
        let (mut sections, mut places) = (Vec::new(), Vec::new());
        for (place, section) in (0..).zip(&plan.sections) {
            let mut section = section.clone();
            let is_new = |category: &u16| !sold.contains(&(place, Some(*category)));
            let needed = if section.categories.is_empty() {
                !sold.contains(&(place, None))
            } else {
                section.categories.retain(is_new);
                !section.categories.is_empty()
            };
            if needed && !section.is_dropped() {
                sections.push(section);
                places.push(place);
            }
        }
        let new = SeatingPlan { sections, ..plan.clone() };
        let covered = self.cover_each(errors, &new, "the version brings no such");
        let mut tiers = Vec::new();
        for ((section, place), covered) in new.sections.iter().zip(places).zip(covered) {
            let categories = section.categories.iter().copied().map(Some);
            let none = section.categories.is_empty().then_some(None);
            let one = |(category, tier)| SectionTier { section: place, category, tier };
            tiers.extend(categories.chain(none).zip(covered).map(one));
        }
        tiers
    }

    /// The map in canonical form. An entry whose tier is not there counts as given: one error is
    /// enough.
    fn places<'a>(
        &self,
        errors: &mut FormErrors,
        (kind, unknown): (&str, &str),
        given: &'a BTreeMap<String, String>,
        names: impl Iterator<Item = &'a str>,
    ) -> Places<'a> {
        let known: HashSet<Cow<'_, str>> = names.map(canonical).collect();
        let mut places = Places::new();
        for (name, tier) in given {
            let at = pointer(kind, name);
            errors.require(known.contains(&canonical(name)), &at, &format!("{unknown} {kind}"));
            let place = self.tier(tier);
            errors.require(place.is_some(), &at, "there is no such tier");
            let twice = places.insert(canonical(name), place.unwrap_or_default()).is_some();
            errors.require(!twice, &at, &format!("this {kind} stands twice, composed otherwise"));
        }
        places
    }

    fn tier(&self, name: &str) -> Option<u16> {
        let place = self.tiers.iter().position(|tier| canonical(&tier.name) == canonical(name))?;
        Some(u16::try_from(place).expect("tiers are 500 at most"))
    }
}

fn pointer(kind: &str, name: &str) -> String {
    format!("/{kind}_tiers/{}", pointer_token(name))
}
