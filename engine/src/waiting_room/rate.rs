//! How many are let in a second: three quarters of what the sale is measured to bear, the worst signal wins.
//!
//! Once a second the owner says what it measured, and hears a rate. It falls to half at once on trouble, and
//! grows by a tenth a second at most, only when the present rate was used: that nobody came, or nobody could
//! be served, proves nothing about capacity.

mod signals;

use std::time::Duration;

pub use self::signals::{LimitedBy, SaleSignals, Signals};

/// Of measured capacity. A quarter is left for what those inside do beside holding: maps, orders, payments.
const SHARE: f64 = 0.75;
/// By how much the rate may grow in a second, and at least by how many.
const GROWTH: f64 = 0.10;
const GROWTH_MIN: f64 = 1.0;
/// What of the present rate has to have been used for it to grow.
const USED: f64 = 0.8;
/// Of what was answered in a second, more turned away than this is trouble, if there are so many.
const TURNED_AWAY: f64 = 0.01;
const TURNED_AWAY_MIN: u32 = 5;
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

    /// Under other bounds from now on. A ceiling that is lifted again leaves the rate where it was.
    pub fn set_bounds(&mut self, bounds: RateBounds) {
        self.bounds = bounds;
    }

    /// As trouble does.
    pub fn halve(&mut self) {
        self.rate = (self.rate / 2.0).max(self.bounds.floor);
    }

    /// The rate for the next second.
    pub fn decide(&mut self, signals: &Signals) -> Decided {
        let stop = |limited_by| Decided { rate: 0.0, limited_by };
        self.work.learn(&signals.sale);
        if !signals.sale.may_go_on {
            // Whatever comes after a stop has to prove itself again.
            self.halve();
            return stop(LimitedBy::Stopped);
        }
        if signals.paused {
            return stop(LimitedBy::Paused);
        }
        let left = signals.sale.stock.saturating_sub(signals.coming);
        if left == 0 {
            return stop(LimitedBy::Stock);
        }
        let decided = match self.trouble(signals) {
            Some(trouble) => Decided { rate: self.rate / 2.0, limited_by: trouble },
            None => self.worst(signals),
        };
        self.rate = decided.rate.max(self.bounds.floor);
        // However little is measured, no more are inside, and no more hold, than may be.
        let open_holds = self.bounds.open_holds_max.saturating_sub(signals.sale.open_holds);
        let places = [
            (self.bounds.active_max.saturating_sub(signals.active).into(), LimitedBy::Active),
            (open_holds.into(), LimitedBy::OpenHolds),
            (left.into(), LimitedBy::Stock),
        ];
        let ceiling = Decided { rate: self.bounds.ceiling, limited_by: LimitedBy::Ceiling };
        let decided = if ceiling.rate <= self.rate {
            ceiling
        } else {
            Decided { rate: self.rate, ..decided }
        };
        places.into_iter().fold(decided, |decided, (free, limited_by): (f64, _)| {
            if free < decided.rate { Decided { rate: free, limited_by } } else { decided }
        })
    }

    fn trouble(&self, signals: &Signals) -> Option<LimitedBy> {
        let RateBounds { commit_max, wait_max, payments_max, .. } = self.bounds;
        let sale = &signals.sale;
        let more = |part: u32, of: u32, share: f64| f64::from(part) > f64::from(of) * share;
        let turns_away = sale.turned_away >= TURNED_AWAY_MIN
            && more(sale.turned_away, sale.answered, TURNED_AWAY);
        let provider_fails = sale.provider_failed >= FAILED_MIN
            && more(sale.provider_failed, sale.provider_asked, FAILED);
        [
            (turns_away, LimitedBy::TurnedAway),
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
            (self.holds_borne(&signals.sale), LimitedBy::Holds),
            (self.payments_borne(signals), LimitedBy::Payments),
        ];
        // What is measured of one second may be an accident: it takes no more than trouble does.
        for (rate, limited_by) in bounds {
            let rate = rate.max(self.rate / 2.0);
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
        if sale.answered == 0 || sale.commit * 2 < self.bounds.commit_max {
            return f64::INFINITY;
        }
        SHARE * f64::from(sale.answered) / sale.lane_busy.min(1.0) / a_hold
    }
}
