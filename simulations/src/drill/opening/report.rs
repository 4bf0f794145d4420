//! What the evening came to, as it is printed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::Plan;
use super::book::Fate;
use super::curves::Followed;
use super::tricks::Trick;
use super::verdict::word;
use crate::figures::Spread;

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    pub(super) plan: Plan,
    pub(super) fates: [usize; 6],
    pub(super) joined_after: Duration,
    pub(super) sold_after: Duration,
    /// From the sale's end until everybody who waited had heard of it.
    pub(super) told_after: Duration,
    pub(super) restarts: Spread,
    pub(super) followed: Followed,
    /// Seconds that each reason kept the rate where it was, where the server tells.
    pub(super) limits: BTreeMap<String, u32>,
    pub(super) requests: u64,
    pub(super) unanswered: u64,
    pub(super) recorded_requests: usize,
    /// Present at the draw; positions that were told and were as computed.
    pub(super) compared: (u32, usize),
    pub(super) admitted: u32,
    pub(super) holds: u32,
    pub(super) refusals: u32,
    pub(super) lost_turns: u32,
    pub(super) ran_out: u32,
    /// Tokens that were over and were tried.
    pub(super) over_shown: usize,
    /// The most that the driver used before the audit.
    pub(super) memory_mb: u64,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (fate, count) in Fate::ALL.iter().zip(self.fates) {
            line(f, word(*fate), count)?;
        }
        let (present, compared) = self.compared;
        line(f, "present at the draw", present)?;
        line(f, "positions compared", compared)?;
        line(f, "let in", self.admitted)?;
        line(f, "turns lost", self.lost_turns)?;
        line(f, "holds", self.holds)?;
        line(f, "refused holds", self.refusals)?;
        line(f, "holds that ran out", self.ran_out)?;
        line(
            f,
            "tricks, times played",
            Trick::players(self.plan.buyers) as usize * Trick::ALL.len(),
        )?;
        line(f, "tokens over, shown", self.over_shown)?;
        line(f, "requests", self.requests)?;
        line(f, "without an answer", self.unanswered)?;
        line(f, "recorded for audit", self.recorded_requests)?;
        line(f, "joined after, s", self.joined_after.as_secs())?;
        line(f, "sold out after, s", self.sold_after.as_secs())?;
        line(f, "all told within, s", self.told_after.as_secs())?;
        let Followed { before, during, after } = self.followed;
        writeln!(f, "  called a second   {before:.1}, slow {during:.1}, then {after:.1}")?;
        for (reason, seconds) in &self.limits {
            writeln!(f, "  rate limited by   {reason}: {seconds} s")?;
        }
        writeln!(f, "  restart           {}", self.restarts)?;
        write!(f, "  driver's memory   {:>8} MB", self.memory_mb)
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: impl fmt::Display) -> fmt::Result {
    writeln!(f, "  {name:<21} {value:>8}")
}
