//! What the rate of admission rests on, and what may keep it down.

use std::time::Duration;

/// What a sale measured of itself since it was asked last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SaleSignals {
    /// Purchases are possible: no safety rule and no operator has stopped them.
    pub may_go_on: bool,
    /// Holds that became durable a second.
    pub holds: f64,
    /// What part of the time the event's lane was busy, 0 to 1.
    pub lane_busy: f64,
    /// What nine of ten commits did not exceed.
    pub commit: Duration,
    /// What nine of ten commands did not exceed in their wait for a decision.
    pub wait: Duration,
    /// Commands that were turned away, or of which nobody knew in time what became of them.
    pub turned_away: u32,
    /// Commands that left with an answer or without one, those turned away among them.
    pub answered: u32,
    /// Holds that are alive.
    pub open_holds: u32,
    /// Payments under way.
    pub payments: u32,
    /// How long a payment takes of late, on average; zero if none was made.
    pub payment: Duration,
    /// Questions that the payment provider answered, with an error or not at all in time among them.
    pub provider_asked: u32,
    /// Of these, those without a proper answer.
    pub provider_failed: u32,
    /// Seats that can be had, and that are likely to be had again from those that hold them.
    pub stock: u32,
}

/// What was measured of the last second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signals {
    /// Of the sale.
    pub sale: SaleSignals,
    /// An operator lets nobody new in.
    pub paused: bool,
    /// Admissions that are alive of buyers who have not bought yet.
    pub active: u32,
    /// Of these, those called of late who hold nothing yet: each is about to take a seat at least.
    pub coming: u32,
    /// Whether anybody is waiting to be let in.
    pub somebody_waits: bool,
    /// How many were let in.
    pub let_in: u32,
}

/// What keeps the rate from being higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedBy {
    /// The sale has not opened.
    NotOpen,
    /// Nothing may be sold now.
    Stopped,
    /// An operator lets nobody new in.
    Paused,
    /// There is nothing left to sell.
    Stock,
    /// The operator's ceiling.
    Ceiling,
    /// As many are inside as may be.
    Active,
    /// As many holds are alive as may be.
    OpenHolds,
    /// As many payments are under way as may be, or as the provider bears.
    Payments,
    /// The payment provider does not answer, or with errors.
    ProviderErrors,
    /// What the lane bears.
    Holds,
    /// Commits take too long.
    CommitLatency,
    /// Commands wait too long.
    DecisionLatency,
    /// Commands were turned away.
    TurnedAway,
    /// The rate grows no faster, or was not used.
    Growth,
}

impl LimitedBy {
    /// A word for metrics and answers.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NotOpen => "not-open",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Stock => "stock",
            Self::Ceiling => "ceiling",
            Self::Active => "active-admissions",
            Self::OpenHolds => "open-holds",
            Self::Payments => "payments",
            Self::ProviderErrors => "provider-errors",
            Self::Holds => "holds",
            Self::CommitLatency => "commit-latency",
            Self::DecisionLatency => "decision-latency",
            Self::TurnedAway => "turned-away",
            Self::Growth => "growth",
        }
    }

    /// The same in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotOpen => "the sale has not opened",
            Self::Stopped => "nothing may be sold at the moment",
            Self::Paused => "an operator has stopped the line",
            Self::Stock => "nothing is left, but for what is held and likely to be bought",
            Self::Ceiling => "the ceiling that is set",
            Self::Active => "as many are inside as may be",
            Self::OpenHolds => "as many seats are being bought as may be at once",
            Self::Payments => "as many payments are under way as the provider bears",
            Self::ProviderErrors => "the payment provider answers with errors, or not at all",
            Self::Holds => "as many are let in as can be served",
            Self::CommitLatency => "the database is slow",
            Self::DecisionLatency => "requests wait too long for their turn",
            Self::TurnedAway => "requests had to be turned away",
            Self::Growth => "the rate is growing, or is not used up",
        }
    }
}
