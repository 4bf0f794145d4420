//! What a caller gets back: a decision that is durable, or the word that there is none.

use crate::hold::{Extension, Hold};
use crate::id::SectionIndex;
use crate::moment::Moment;
use crate::operation::Operated;
use crate::order::{Order, Verdict};
use crate::refund::Refund;
use crate::refusal::Refusal;

/// A decided answer. It leaves only after everything it could have seen is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was decided.
    pub outcome: Outcome,
    /// Whether this repeats an earlier result of the same key.
    pub replayed: bool,
    /// The instant at which it was true.
    pub as_of: Moment,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The hold was placed or read.
    Hold(Box<Hold>),
    /// The buyer's active holds, oldest first.
    Holds(Vec<Hold>),
    /// The hold or order is given back, now or before.
    Released,
    /// The order of the hold, and whether this request made it.
    Order {
        /// The order.
        order: Box<Order>,
        /// What it pays for.
        hold: Box<Hold>,
        /// Made by this key's request, not by an earlier one.
        created: bool,
    },
    /// What becomes of the attempt.
    Verdict(Verdict),
    /// Whether the hold lives longer.
    Extension(Extension),
    /// The tickets are void, and so much is owed for them.
    Refunded(Box<Refund>),
    /// The operator's change is made.
    Operated(Operated),
    /// No, and why.
    Refused(Refusal),
}

impl Outcome {
    /// The outcome's name in metrics.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Hold(_)
            | Self::Holds(_)
            | Self::Released
            | Self::Order { .. }
            | Self::Refunded(_)
            | Self::Extension(_)
            | Self::Operated(_) => "granted",
            Self::Verdict(Verdict::Confirmed) => "confirmed",
            Self::Verdict(Verdict::VoidDue) => "void-due",
            Self::Refused(refusal) => refusal.code(),
        }
    }
}

/// Why there is no decision to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Turned away before anything was decided; safe to repeat.
    Overloaded,
    /// As many commands of this buyer wait as may: nothing was decided for this one.
    LineFull,
    /// As many holds are alive as may be: nothing was decided. Those that are may be ordered and paid.
    HoldsFull,
    /// The first request of this key is undecided, and as many as may wait for it do. Nothing was
    /// decided for this one; repeated, it has the first one's result.
    KeyInUse,
    /// Something may have been decided; the same key brings the truth.
    OutcomeUnknown,
    /// Nothing is decided at present, and why.
    PurchasesPaused(PauseReason),
    /// It touches these sections, which break an invariant and are kept apart; the others sell.
    Quarantined(Vec<SectionIndex>),
    /// The database refuses just this decision, again and again: a bug, which is paged. Nothing was
    /// decided.
    Broken,
}

/// Why an event takes no commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PauseReason {
    /// Its owner is being made from its rows, and nothing has gone wrong with that: mostly a matter of
    /// milliseconds, which commands wait for.
    Starting,
    /// The database cannot be reached.
    DatabaseUnavailable,
    /// Another process has taken the event over.
    Fenced,
    /// The database's clock and the last decision's time disagree by more than a takeover may jump.
    ClockUncertain,
    /// What the rows say contradicts itself; paged.
    InvariantBroken,
}

impl PauseReason {
    /// The reason as callers and operators see it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::DatabaseUnavailable => "database-unavailable",
            Self::Fenced => "fenced",
            Self::ClockUncertain => "clock-uncertain",
            Self::InvariantBroken => "invariant-broken",
        }
    }
}
