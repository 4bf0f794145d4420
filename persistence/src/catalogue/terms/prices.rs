//! Which tier each section and category of an event is sold at.

use std::collections::HashMap;

use taquilla_engine::id::SectionIndex;
use tokio_postgres::Row;

use super::read_tiers;
use crate::columns::{self, BrokenRow};

/// Tiers by section and category, as the schema numbers both.
pub(super) struct Prices(HashMap<(u16, i16), u16>);

impl Prices {
    /// From three arrays of equal length; every tier is one of the event's.
    pub(super) fn read(row: &Row) -> Result<Prices, BrokenRow> {
        let tiers = read_tiers(row)?.len();
        let sections: Vec<i16> = columns::get(row, "priced_sections")?;
        let categories: Vec<i16> = columns::get(row, "priced_categories")?;
        let tier_nos: Vec<i16> = columns::get(row, "priced_tiers")?;
        let mut prices = HashMap::with_capacity(sections.len());
        for ((section, category), tier) in sections.into_iter().zip(categories).zip(tier_nos) {
            let known = |no: &u16| usize::from(*no) < tiers;
            let tier = u16::try_from(tier).ok().filter(known);
            let stray = || BrokenRow::new("tier_no", format!("section {section}"));
            let section = u16::try_from(section).map_err(|_| stray())?;
            prices.insert((section, category), tier.ok_or_else(stray)?);
        }
        Ok(Prices(prices))
    }

    /// The same of what the plan has dropped: the event's first tier, where it was never sold.
    pub(super) fn tier_of_dropped(&self, section: SectionIndex, category: i16) -> u16 {
        self.0.get(&(section.0, category)).copied().unwrap_or(0)
    }

    /// The tier of the section's places of this category; 0 is none.
    pub(super) fn tier(&self, section: SectionIndex, category: i16) -> Result<u16, BrokenRow> {
        let SectionIndex(number) = section;
        self.0.get(&(number, category)).copied().ok_or_else(|| {
            BrokenRow::new("tier_no", format!("category {category} of {section:?} has no tier"))
        })
    }
}
