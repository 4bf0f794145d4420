//! What is wrong with a plan: all of it, in a list whose length is bounded.

use std::collections::BTreeMap;

use serde::Serialize;

use super::place::{Base, Place};
use crate::strict::pointer_token;

/// So many of one code are listed; how many more there are is told in one line. The largest real plan
/// with a systematic fault that we know has 546 of a code.
pub const LISTED_MAX: usize = 1_000;

/// The code of the line that says how many more there are.
pub const MORE: &str = "more-defects";

/// One thing that is wrong, where, and in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// One of those of `docs/plans.md`.
    pub code: &'static str,
    /// A JSON pointer into what was sent.
    pub r#where: String,
    /// What is wrong, and what would be right.
    pub detail: String,
}

/// Defects as they are found.
#[derive(Clone, Debug)]
pub struct Defects {
    base: Base,
    listed: Vec<Defect>,
    counts: BTreeMap<&'static str, usize>,
}

impl Defects {
    /// None yet, in a text where the plan stands there.
    #[must_use]
    pub fn new(base: Base) -> Self {
        Self { base, listed: Vec::new(), counts: BTreeMap::new() }
    }

    /// Where the plan stands.
    #[must_use]
    pub fn base(&self) -> Base {
        self.base
    }

    /// Notes one. `detail` is asked for only if it will be listed.
    pub fn add<D: Into<String>>(
        &mut self,
        code: &'static str,
        place: Place,
        detail: impl FnOnce(Base) -> D,
    ) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= LISTED_MAX {
            let r#where = place.pointer(self.base);
            self.listed.push(Defect { code, r#where, detail: detail(self.base).into() });
        }
    }

    /// Notes one at a member that no plan has.
    pub fn add_unknown(&mut self, code: &'static str, place: Place, member: &str) {
        self.add(code, place, |_| "this name is not known here");
        if let Some(last) = self.listed.last_mut().filter(|_| self.counts[code] <= LISTED_MAX) {
            last.r#where.push('/');
            last.r#where.push_str(&pointer_token(member));
        }
    }

    /// Notes one unless `holds`.
    pub fn require(&mut self, holds: bool, code: &'static str, place: Place, detail: &str) {
        if !holds {
            self.add(code, place, |_| detail);
        }
    }

    /// Whether none was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// How many were noted, listed or not.
    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// All that are listed, in the order in which they were found, and a line for each code of which
    /// there are more.
    #[must_use]
    pub fn into_list(mut self) -> Vec<Defect> {
        for (code, count) in &self.counts {
            if let more @ 1.. = count.saturating_sub(LISTED_MAX) {
                let r#where = Place::Plan("").pointer(self.base);
                let detail = format!("{more} more of {code}, which are not listed");
                self.listed.push(Defect { code: MORE, r#where, detail });
            }
        }
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_is_everywhere_does_not_hide_another() {
        let mut defects = Defects::new(Base::Venue);
        for seat in 0..60_000 {
            defects.add("blank-seat-id", Place::Seat(0, 1, seat, "seat_guid"), |_| "blank");
        }
        defects.add("no-seats", Place::Zone(1, ""), |_| "none");
        assert_eq!(defects.count(), 60_001);
        let list = defects.into_list();
        assert_eq!(list.len(), LISTED_MAX + 2);
        assert_eq!(list[0].r#where, "/plan/layout/zones/0/rows/1/seats/0/seat_guid");
        assert_eq!(list[LISTED_MAX].code, "no-seats");
        let last = &list[LISTED_MAX + 1];
        assert_eq!(
            (last.code, last.detail.as_str()),
            (MORE, "59000 more of blank-seat-id, which are not listed")
        );
    }
}
