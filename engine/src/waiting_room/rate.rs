//! How many are let in a second: three quarters of what the sale is measured to bear, the worst signal wins.
//!
//! Once a second the owner says what it measured, and hears a rate. It falls to half at once on trouble, and
//! grows by a tenth a second at most, only when the present rate was used: that nobody came, or nobody could
//! be served, proves nothing about capacity.

use std::time::Duration;

/// Of measured capacity. A quarter is left for what those inside do beside holding: maps, orders, payments.
const SHARE: f64 = 0.75;
/// By how much the rate may grow in a second, and at least by how many.
const GROWTH: f64 = 0.10;
const GROWTH_MIN: f64 = 1.0;
/// What of the present rate has to have been used for it to grow.
const USED: f64 = 0.8;
/// Of what was answered in a second, more turned away than this is trouble.
const TURNED_AWAY: f64 = 0.01;
/// Of the provider's answers in a second, more failures than this are trouble, if there are so many.
const FAILED: f64 = 0.2;
const FAILED_MIN: u32 = 5;
/// Over about so many seconds it is learnt how much work a hold brings with it: longer than a purchase takes.
const LEARNT_OVER: f64 = 30.0;

/// Bounds that an operator sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateBounds {
    /// Nobody lets in more a second.
    pub ceiling: f64,
    /// While the sale may go on at all, trouble does not bring the rate below this.
    pub floor: f64,
    /// From where it starts, before anything was measured.
    pub start: f64,
    /// Admissions that may be alive at once.
    pub active_max: u32,
    /// Payments that may be under way at once.
    pub payments_max: u32,
    /// Holds that may be alive at once.
    pub open_holds_max: u32,
    /// Longer commits are trouble.
    pub commit_max: Duration,
    /// Commands that wait longer for their decision are trouble.
    pub wait_max: Duration,
}

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
    /// Commands that were answered, those turned away among them.
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

/// The rate, and why it is no higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// Admissions a second; zero lets nobody in.
    pub rate: f64,
    /// What keeps it there.
    pub limited_by: LimitedBy,
}

/// The rate as it moves.
#[derive(Clone, Debug)]
pub struct AdmissionRate {
    bounds: RateBounds,
    /// What it is while nothing stops it; a stop does not make it forget.
    rate: f64,
    work: Work,
}

/// Commands that are decided, and holds among them, a second, of late.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    commands: f64,
    holds: f64,
}

impl Work {
    fn learn(&mut self, sale: &SaleSignals) {
        self.commands += (f64::from(sale.answered) - self.commands) / LEARNT_OVER;
        self.holds += (sale.holds - self.holds) / LEARNT_OVER;
    }

    /// How many commands a hold brings with it: itself, its order, its payment. Of one second that would be
    /// something else: those who hold in it pay later.
    fn a_hold(&self) -> Option<f64> {
        (self.holds > 0.0).then(|| (self.commands / self.holds).max(1.0))
    }
}

impl AdmissionRate {
    /// Before the first second.
    #[must_use]
    pub fn new(bounds: RateBounds) -> Self {
        Self {
            rate: bounds.start.clamp(bounds.floor, bounds.ceiling),
            bounds,
            work: Work::default(),
        }
    }

    /// Under other bounds from now on.
    pub fn set_bounds(&mut self, bounds: RateBounds) {
        self.rate = self.rate.clamp(bounds.floor.min(bounds.ceiling), bounds.ceiling);
        self.bounds = bounds;
    }

    /// The rate for the next second.
    pub fn decide(&mut self, signals: &Signals) -> Decided {
        let stop = |limited_by| Decided { rate: 0.0, limited_by };
        self.work.learn(&signals.sale);
        if !signals.sale.may_go_on {
            // Whatever comes after a stop has to prove itself again.
            self.rate = (self.rate / 2.0).max(self.bounds.floor);
            return stop(LimitedBy::Stopped);
        }
        if signals.paused {
            return stop(LimitedBy::Paused);
        }
        if signals.sale.stock == 0 {
            return stop(LimitedBy::Stock);
        }
        let decided = match self.trouble(signals) {
            Some(trouble) => Decided { rate: self.rate / 2.0, limited_by: trouble },
            None => self.worst(signals),
        };
        self.rate =
            decided.rate.clamp(self.bounds.floor.min(self.bounds.ceiling), self.bounds.ceiling);
        // However little is measured, no more are inside, and no more hold, than may be.
        let open_holds = self.bounds.open_holds_max.saturating_sub(signals.sale.open_holds);
        let places = [
            (self.bounds.active_max.saturating_sub(signals.active), LimitedBy::Active),
            (open_holds, LimitedBy::OpenHolds),
        ];
        let decided = Decided { rate: self.rate, ..decided };
        places.into_iter().fold(decided, |decided, (free, limited_by)| {
            let free = f64::from(free);
            if free < decided.rate { Decided { rate: free, limited_by } } else { decided }
        })
    }

    fn trouble(&self, signals: &Signals) -> Option<LimitedBy> {
        let RateBounds { commit_max, wait_max, payments_max, .. } = self.bounds;
        let sale = &signals.sale;
        let more = |part: u32, of: u32, share: f64| f64::from(part) > f64::from(of) * share;
        let provider_fails = sale.provider_failed >= FAILED_MIN
            && more(sale.provider_failed, sale.provider_asked, FAILED);
        [
            (more(sale.turned_away, sale.answered, TURNED_AWAY), LimitedBy::TurnedAway),
            (sale.commit > commit_max, LimitedBy::CommitLatency),
            (sale.wait > wait_max, LimitedBy::DecisionLatency),
            (sale.payments >= payments_max, LimitedBy::Payments),
            (provider_fails, LimitedBy::ProviderErrors),
        ]
        .into_iter()
        .find_map(|(is_so, trouble)| is_so.then_some(trouble))
    }

    /// The lowest of what each signal allows.
    fn worst(&self, signals: &Signals) -> Decided {
        let is_used = signals.somebody_waits && f64::from(signals.let_in) >= self.rate * USED;
        let growth = if is_used { (self.rate * GROWTH).max(GROWTH_MIN) } else { 0.0 };
        let mut worst = Decided { rate: self.rate + growth, limited_by: LimitedBy::Growth };
        let bounds = [
            (self.bounds.ceiling, LimitedBy::Ceiling),
            (self.holds_borne(&signals.sale), LimitedBy::Holds),
            (self.payments_borne(signals), LimitedBy::Payments),
        ];
        for (rate, limited_by) in bounds {
            if rate < worst.rate {
                worst = Decided { rate, limited_by };
            }
        }
        worst
    }

    /// By Little's law: how many payments a second keep within the bound, at the time that one takes.
    fn payments_borne(&self, signals: &Signals) -> f64 {
        let takes = signals.sale.payment.as_secs_f64();
        if takes > 0.0 {
            SHARE * f64::from(self.bounds.payments_max) / takes
        } else {
            f64::INFINITY
        }
    }

    /// What the lane bears at the latency that commits may have, once they come within half of it. While they are
    /// quicker, larger batches would take hardly longer, and only that is known: it bears more.
    fn holds_borne(&self, sale: &SaleSignals) -> f64 {
        let Some(a_hold) = self.work.a_hold().filter(|_| sale.lane_busy > 0.0) else {
            return f64::INFINITY;
        };
        if sale.commit * 2 < self.bounds.commit_max {
            return f64::INFINITY;
        }
        SHARE * f64::from(sale.answered) / sale.lane_busy.min(1.0) / a_hold
    }
}
