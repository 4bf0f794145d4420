//! Where each mutant shows, and what it breaks there.

use super::Mutant;
use crate::model::actions::Fault::{self, Cancelled, Kill, Late, Promotion, Second, SlowClock};
use crate::model::machine::{Machine, rule};
use crate::model::scenario::{
    ACROSS, CLOCK, CONTESTED, EXPIRY, LIMIT, PURCHASE, READING, RIVALS, STALE, Scenario,
};
use crate::model::search::Searched;

/// A row of the table: where the mutant shows.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What is left out.
    pub mutant: Mutant,
    /// In words.
    pub name: &'static str,
    /// In which sale.
    pub scenario: Scenario,
    /// With what going wrong.
    pub faults: &'static [Fault],
    /// How often.
    pub budget: u8,
    /// The rule that it breaks first.
    pub breaks: &'static str,
}

const fn row(
    mutant: Mutant,
    name: &'static str,
    scenario: Scenario,
    faults: &'static [Fault],
    budget: u8,
    breaks: &'static str,
) -> Row {
    Row { mutant, name, scenario, faults, budget, breaks }
}

/// Every mutant. Faults are named so that each is searched for where it can be, and quickly.
pub const TABLE: &[Row] = &[
    row(Mutant::NoFence, "no fence", RIVALS, &[Second], 1, rule::DIFFERS),
    row(
        Mutant::EpochNotCompared,
        "the fence compares the sequence alone",
        RIVALS,
        &[Cancelled, Promotion],
        2,
        rule::DIFFERS,
    ),
    row(
        Mutant::SequenceNotCompared,
        "the fence compares the epoch alone",
        RIVALS,
        &[Promotion],
        1,
        rule::DIFFERS,
    ),
    row(Mutant::PlainFence, "the fence is a plain read", RIVALS, &[Second], 1, rule::DIFFERS),
    row(Mutant::ReplyBeforeDurable, "answers before durable", RIVALS, &[Kill], 1, rule::UNTRUE),
    row(
        Mutant::RefusalsNotGated,
        "refusals not gated on the gathering batch",
        LIMIT,
        &[],
        0,
        rule::UNTRUE,
    ),
    row(Mutant::RefusalsAtOnce, "refusals at once", RIVALS, &[], 0, rule::UNTRUE),
    row(Mutant::ReplaysAtOnce, "replays from memory not durable", RIVALS, &[], 0, rule::UNTRUE),
    row(Mutant::ReadsAtOnce, "a zombie answers reads", READING, &[Second], 1, rule::UNTRUE),
    row(Mutant::NoBump, "no bump on a same-process restart", RIVALS, &[Late], 2, rule::UNTRUE),
    row(Mutant::UnknownBump, "an unknown bump is an epoch", STALE, &[Late], 3, rule::UNTRUE),
    row(
        Mutant::NeverAsksAgain,
        "who is overtaken never asks again",
        STALE,
        &[Late, Second],
        2,
        rule::NOBODY_SERVES,
    ),
    row(Mutant::NoStandby, "nobody waits for the standby", RIVALS, &[Promotion], 1, rule::UNTRUE),
    row(
        Mutant::ChecksWithoutStandby,
        "refusals and reads without the standby",
        READING,
        &[Promotion, Second],
        2,
        rule::UNTRUE,
    ),
    row(
        Mutant::BumpWithoutStandby,
        "a bump without the standby",
        READING,
        &[Late, Promotion],
        2,
        rule::UNTRUE,
    ),
    row(Mutant::CancelledIsYes, "a cancelled wait is a yes", RIVALS, &[Cancelled], 1, rule::UNTRUE),
    row(
        Mutant::CancelledIsNo,
        "a cancelled wait is a no",
        RIVALS,
        &[Cancelled],
        1,
        rule::UNDECIDED,
    ),
    row(Mutant::RolledBack, "memory rolled back", RIVALS, &[Late], 1, rule::UNDECIDED),
    row(Mutant::NotAnswered, "waiting calls not answered", RIVALS, &[Late], 1, rule::UNANSWERED),
    row(
        Mutant::ExpiryNotWritten,
        "expiry not written by who uses it",
        EXPIRY,
        &[],
        0,
        rule::NOT_THE_FOLD,
    ),
    row(Mutant::TwoAtOnce, "two batches at once", RIVALS, &[], 0, rule::DIED),
    row(Mutant::AnyWord, "a commit's word not matched", RIVALS, &[Late], 1, rule::UNTRUE),
    row(
        Mutant::TimeRunsBack,
        "the head keeps no time",
        PURCHASE,
        &[SlowClock, Second, Kill],
        2,
        rule::CAME_BACK,
    ),
    row(
        Mutant::TimeNotCompared,
        "the batch's time is not compared",
        CLOCK,
        &[SlowClock],
        2,
        rule::UNTRUE,
    ),
    row(Mutant::TornRead, "rows read in two snapshots", RIVALS, &[Kill], 1, rule::CONTRADICTION),
    row(
        Mutant::RepeatTakenForNew,
        "a repeat is not told of its first result",
        PURCHASE,
        &[],
        0,
        rule::TWO_RESULTS,
    ),
    row(Mutant::SettlementLost, "a settlement is lost", ACROSS, &[], 0, rule::UNANSWERED),
    row(
        Mutant::OneSectionSettled,
        "only one section is told that it is granted",
        ACROSS,
        &[],
        0,
        rule::DIFFERS,
    ),
    row(
        Mutant::RefusedByThePrepared,
        "refused because of what is only prepared",
        CONTESTED,
        &[],
        0,
        rule::UNTRUE,
    ),
    row(Mutant::LimitNotKept, "the buyer's limit is not kept", LIMIT, &[], 0, rule::HISTORY),
    row(Mutant::DecidedTwice, "a decision reaches the door twice", RIVALS, &[], 0, rule::PANIC),
    row(Mutant::AnsweredTwice, "a hold is answered twice", RIVALS, &[], 0, rule::TWICE),
    row(
        Mutant::UnknownFromTheDoor,
        "a door says that it does not know",
        RIVALS,
        &[],
        0,
        rule::STRANGE_WORD,
    ),
];

impl Row {
    /// The machine that looks for it.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::new(self.sale(), Some(self.mutant), self.budget)
    }

    /// The same with nothing left out.
    #[must_use]
    pub fn unmutated(&self) -> Machine {
        Machine::new(self.sale(), None, self.budget)
    }

    /// How many steps it takes until the rule is broken that it is to break; else what came instead.
    ///
    /// # Errors
    /// In words.
    pub fn verdict(&self, searched: &Searched) -> Result<usize, String> {
        match &searched.found {
            None => Err(format!("{} is not caught: {searched}", self.name)),
            Some(found) if found.violation.rule != self.breaks => {
                Err(format!("{} is caught by another rule: {found}", self.name))
            }
            Some(found) => Ok(found.trace.len()),
        }
    }

    fn sale(&self) -> Scenario {
        Scenario { faults: self.faults, ..self.scenario }
    }
}
