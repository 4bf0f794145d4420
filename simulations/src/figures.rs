//! What a run came to, counted from its recording.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use taquilla_auditor::Recorded;

use crate::client::Answer;

/// The counts that are printed after a drill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Requests sent, repeats included.
    pub requests: usize,
    /// Different holds that were granted.
    pub grants: usize,
    /// Those of them that declined something.
    pub in_part: usize,
    /// Parts of holds that were given back.
    pub given_back: usize,
    /// Decided 409s.
    pub refusals: usize,
    /// Different orders.
    pub orders: usize,
    /// Orders that were seen captured.
    pub captured: usize,
    /// Requests that ended without an answer, or with `outcome-unknown`.
    pub unknown: usize,
    /// Keys among these whose repeats learnt the truth.
    pub unknown_resolved: usize,
    /// `purchases-paused`.
    pub paused: usize,
    /// `overloaded`.
    pub overloaded: usize,
    /// `internal-error`: bugs.
    pub internal_errors: usize,
}

impl Figures {
    /// Counts a recording.
    #[must_use]
    pub fn of(recorded: &[Recorded]) -> Self {
        let mut figures = Self { requests: recorded.len(), ..Self::default() };
        let (mut grants, mut in_part, mut orders, mut captured) = Default::default();
        for record in recorded {
            let answer = answer_of(record);
            figures.count(record, &answer);
            if record.path == "/holds" && answer.is_success() {
                collect(&mut grants, answer.text("hold_id"));
                if answer.body["declined"].as_array().is_some_and(|it| !it.is_empty()) {
                    collect(&mut in_part, answer.text("hold_id"));
                }
            }
            let is_part = record.method == "DELETE" && record.path.contains("/items?");
            figures.given_back += usize::from(is_part && answer.is_success());
            collect(&mut orders, answer.text("order_id"));
            if answer.text("status") == "captured" {
                collect(&mut captured, answer.text("order_id"));
            }
        }
        figures.grants = grants.len();
        figures.in_part = in_part.len();
        figures.orders = orders.len();
        figures.captured = captured.len();
        figures.unknown_resolved = unknown_resolved(recorded);
        figures
    }

    fn count(&mut self, record: &Recorded, answer: &Answer) {
        match (record.status, answer.slug()) {
            (None, _) | (Some(503), Some("outcome-unknown")) => self.unknown += 1,
            (Some(503), Some("purchases-paused")) => self.paused += 1,
            (Some(503), Some("overloaded")) => self.overloaded += 1,
            (Some(500), _) => self.internal_errors += 1,
            (Some(409), _) if answer.is_decided() => self.refusals += 1,
            _ => {}
        }
    }
}

fn collect(ids: &mut HashSet<String>, id: &str) {
    if !id.is_empty() && !ids.contains(id) {
        ids.insert(id.to_owned());
    }
}

fn unknown_resolved(recorded: &[Recorded]) -> usize {
    let mut keys: HashMap<_, (bool, bool)> = HashMap::new();
    for record in recorded {
        let Some(key) = &record.key else { continue };
        let (unknown, resolved) = keys.entry((&record.buyer, &record.path, key)).or_default();
        let answer = answer_of(record);
        *unknown |= record.status.is_none() || answer.slug() == Some("outcome-unknown");
        *resolved |= *unknown && answer.is_decided();
    }
    keys.values().filter(|(_, resolved)| *resolved).count()
}

fn answer_of(record: &Recorded) -> Answer {
    Answer { status: record.status, body: record.answer.clone() }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  requests          {:>8}", self.requests)?;
        writeln!(f, "  grants            {:>8}", self.grants)?;
        writeln!(f, "  of them in part   {:>8}", self.in_part)?;
        writeln!(f, "  parts given back  {:>8}", self.given_back)?;
        writeln!(f, "  refusals          {:>8}", self.refusals)?;
        writeln!(f, "  orders            {:>8}", self.orders)?;
        writeln!(f, "  captured          {:>8}", self.captured)?;
        writeln!(f, "  unknown answers   {:>8}", self.unknown)?;
        writeln!(f, "  of keys, resolved {:>8}", self.unknown_resolved)?;
        writeln!(f, "  paused            {:>8}", self.paused)?;
        writeln!(f, "  overloaded        {:>8}", self.overloaded)?;
        write!(f, "  internal errors   {:>8}", self.internal_errors)
    }
}

/// The middle and the longest of some spans of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Half of them are shorter.
    pub p50: Duration,
    /// None is longer.
    pub max: Duration,
}

impl Spread {
    /// `None` of nothing.
    #[must_use]
    pub fn of(mut spans: Vec<Duration>) -> Option<Self> {
        spans.sort_unstable();
        let max = *spans.last()?;
        Some(Self { p50: spans[spans.len() / 2], max })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p50 {} ms, max {} ms", self.p50.as_millis(), self.max.as_millis())
    }
}
