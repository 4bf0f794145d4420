//! The protocol with one rule left out. Each of them must be caught by a violation; one that is not
//! means that the model does not see what the rule is for.
//!
//! The engine is not changed for any of them: they change what the model does around it (the
//! database's fence, the words that reach an owner, the way an owner dies). Where an answer leaves too
//! early, the lane is not asked: the model feeds the commit to a second owner of the same state, looks
//! which answers that would set free, and lets those go at once.

use super::actions::Fault;
use super::machine::{Machine, rule};
use super::scenario::{EXPIRY, LIMIT, PURCHASE, READING, RIVALS, STALE, Scenario};

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutant {
    /// The database compares neither epoch nor sequence.
    NoFence,
    /// The fence compares the sequence alone.
    EpochNotCompared,
    /// The fence compares the epoch alone.
    SequenceNotCompared,
    /// The fence is a plain read before the write.
    PlainFence,
    /// Answers leave when their batch is sent.
    ReplyBeforeDurable,
    /// Refusals wait for the batch in flight, not for the one they were gathered into.
    RefusalsNotGated,
    /// Refusals wait for nothing.
    RefusalsAtOnce,
    /// A repeated key is answered from memory at once.
    ReplaysAtOnce,
    /// Reads of what is durable do not ride on a commit: a zombie answers them too.
    ReadsAtOnce,
    /// A process that restarts its own owner keeps its epoch.
    NoBump,
    /// A bump whose outcome is unknown counts as an epoch.
    UnknownBump,
    /// Who finds another owner's head never looks again, though it may be stale, or his own late bump's.
    NeverAsksAgain,
    /// Nobody waits for the standby.
    NoStandby,
    /// Checks, on which refusals and reads ride, do not wait for the standby.
    ChecksWithoutStandby,
    /// A new owner's bump does not wait for the standby.
    BumpWithoutStandby,
    /// A cancelled wait counts as a yes.
    CancelledIsYes,
    /// A cancelled wait counts as a no: memory goes back, callers hear that nothing was decided.
    CancelledIsNo,
    /// Whatever is not a yes rolls memory back, and the owner lives on.
    RolledBack,
    /// Those who wait for an owner that dies are not answered.
    NotAnswered,
    /// Who takes an overdue hold's seat does not write its end.
    ExpiryNotWritten,
    /// What has gathered is sent while a batch is on its way.
    TwoAtOnce,
    /// Any word of a commit is taken for that of the batch on its way.
    AnyWord,
    /// The head does not keep the latest decision's time.
    TimeRunsBack,
}

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

use Fault::{Cancelled, Kill, Late, Promotion, Second, SlowClock};

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
    row(Mutant::TwoAtOnce, "two batches at once", RIVALS, &[], 0, rule::UNTRUE),
    row(Mutant::AnyWord, "a commit's word not matched", RIVALS, &[Late], 1, rule::UNTRUE),
    row(
        Mutant::TimeRunsBack,
        "the head keeps no time",
        PURCHASE,
        &[SlowClock, Second, Kill],
        2,
        rule::CAME_BACK,
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

    fn sale(&self) -> Scenario {
        Scenario { faults: self.faults, ..self.scenario }
    }
}
