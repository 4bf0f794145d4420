//! What stands in an operator's way, by name and number.

use serde::Serialize;
use serde_json::json;
use taquilla_engine::event::Terms;
use taquilla_engine::refusal::{SalesConflict, TermsDefect};
use taquilla_persistence::catalogue::{AreaInTheWay, InTheWay};

use super::{FormError, Problem, table};
use crate::instant::Instant;

/// A general section that has more in it than it was to have room for.
#[derive(Serialize)]
struct SectionInTheWay<'a> {
    section: &'a str,
    sold: u32,
    held: u32,
    asked: u32,
}

pub(super) fn conflicts_with_sales(conflict: &SalesConflict, terms: &Terms) -> Problem {
    let SalesConflict { sold, held, asked, seats, sections } = conflict;
    let plan = &terms.plan;
    let in_the_way = |it: &taquilla_engine::refusal::SectionConflict| SectionInTheWay {
        section: &plan.section(it.section).name,
        sold: it.sold,
        held: it.held,
        asked: it.asked,
    };
    let sections: Vec<SectionInTheWay<'_>> = sections.iter().map(in_the_way).collect();
    let detail = match (seats.is_empty(), sections.is_empty()) {
        (false, _) => format!(
            "of {asked} seats that were to be blocked {sold} are sold and {held} held; nothing was done"
        ),
        (true, false) => {
            let words = |it: &SectionInTheWay<'_>| {
                let SectionInTheWay { section, sold, held, asked } = it;
                format!("{section} has {sold} sold and {held} held, and was to have {asked}")
            };
            let words: Vec<String> = sections.iter().map(words).collect();
            format!("{}; nothing was done", words.join("; "))
        }
        (true, true) => format!(
            "the sale has opened, {sold} seats are sold and {held} held: its opening cannot be put off"
        ),
    };
    let labels: Vec<&str> = seats.iter().map(|seat| plan.seat(*seat).label()).collect();
    let problem = Problem::new(&table::CONFLICTS_WITH_SALES, detail)
        .with("sold", sold)
        .with("held", held)
        .with("asked", asked)
        .with("seats", labels);
    if sections.is_empty() { problem } else { problem.with("sections", sections) }
}

/// What a version of a plan would take from somebody.
#[must_use]
pub fn plan_in_the_way(conflict: &InTheWay) -> Problem {
    let InTheWay { sold, held, asked, seats, areas, .. } = conflict;
    let in_the_way = |area: &AreaInTheWay| {
        let AreaInTheWay { section, sold, held, asked } = area.clone();
        json!({"section": section, "sold": sold, "held": held, "asked": asked})
    };
    let detail = format!(
        "the plan would take from {asked} seats and places, of which {sold} are sold and {held} held; nothing was done"
    );
    let problem = Problem::new(&table::CONFLICTS_WITH_SALES, detail)
        .with("sold", sold)
        .with("held", held)
        .with("asked", asked)
        .with("seats", seats);
    let areas: Vec<_> = areas.iter().map(in_the_way).collect();
    if areas.is_empty() { problem } else { problem.with("sections", areas) }
}

/// The place of a form that makes no sense as things stand.
pub(super) fn terms_error(defect: &TermsDefect, terms: &Terms) -> FormError {
    match defect {
        TermsDefect::ClosesFirst { opens_at, closes_at } => {
            let (opens, closes) = (Instant(*opens_at).to_text(), Instant(*closes_at).to_text());
            let detail = format!("the sale would open at {opens} and close at {closes}");
            FormError::at("/sale/closes_at", detail)
        }
        TermsDefect::UnknownTier(tier) => {
            FormError::at("/price_tiers", format!("the event has no tier {tier}"))
        }
        TermsDefect::TierMissing { tier, used_by } => {
            let used = match used_by {
                Some(user) => format!(", at which {user} is sold"),
                None => String::new(),
            };
            FormError::at("/price_tiers", format!("name all tiers; {tier}{used}, is missing"))
        }
        TermsDefect::TotalTooLarge { tier } => {
            let detail = format!("a buyer's total at the price of {tier} is too large");
            FormError::at("/price_tiers", detail)
        }
        TermsDefect::NotGeneral(section) => {
            let name = &terms.plan.section(*section).name;
            FormError::at("/general", format!("{name} is no general section"))
        }
        TermsDefect::NotPaused(status) => {
            let detail = format!("there is no pause to end: the sale is {}", status.code());
            FormError::at("/action", detail)
        }
        TermsDefect::SeatDropped(seat) => {
            let label = terms.plan.seat(*seat).label();
            let detail = format!("{label} is no longer in the event's plan, and stays blocked");
            FormError::at("/unblock", detail)
        }
    }
}
