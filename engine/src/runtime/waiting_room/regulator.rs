//! From what the sale measures of itself to how many are let in this second.

use std::time::Duration;

use crate::moment::Moment;
use crate::waiting_room::rate::{AdmissionRate, Decided, RateBounds, Signals};

/// What a sale measures of itself.
pub trait SaleGauge: Send + Sync + 'static {
    /// What has been measured since it was asked last.
    fn measure(&self) -> SaleSignals;

    /// When it opens, or has opened.
    fn opens_at(&self) -> Moment;
}

/// What was measured of a sale since it was asked last. As in [`Signals`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SaleSignals {
    /// Purchases are possible.
    pub may_go_on: bool,
    /// Holds that became durable a second.
    pub holds: f64,
    /// What part of the time the event's lane was busy.
    pub lane_busy: f64,
    /// The 99th percentile of a commit.
    pub commit: Duration,
    /// The 99th percentile of the wait for a decision.
    pub wait: Duration,
    /// Commands that were turned away or not answered in time.
    pub turned_away: u32,
    /// Payments under way.
    pub payments: u32,
    /// How long a payment takes, on average.
    pub payment: Duration,
    /// Seats that can be had, and that are likely to be had again.
    pub stock: u32,
}

/// What was decided, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regulated {
    /// The rate, and what limits it.
    pub decided: Decided,
    /// What was measured.
    pub signals: Signals,
    /// When.
    pub at: Moment,
}

/// Decides once a second.
#[derive(Debug)]
pub(super) struct Regulator {
    rate: AdmissionRate,
    /// What was decided and is not a whole person yet.
    owed: f64,
    let_in: u32,
    last: Option<Moment>,
}

impl Regulator {
    pub(super) fn new(bounds: RateBounds) -> Self {
        Self { rate: AdmissionRate::new(bounds), owed: 0.0, let_in: 0, last: None }
    }

    /// How many may be let in now.
    pub(super) fn decide(
        &mut self,
        sale: SaleSignals,
        active: u32,
        somebody_waits: bool,
        now: Moment,
    ) -> (u32, Regulated) {
        let SaleSignals { may_go_on, holds, lane_busy, commit, wait, .. } = sale;
        let SaleSignals { turned_away, payments, payment, stock, .. } = sale;
        let signals = Signals {
            may_go_on,
            holds,
            lane_busy,
            commit,
            wait,
            turned_away,
            payments,
            payment,
            active,
            stock,
            somebody_waits,
            let_in: self.let_in,
        };
        let decided = self.rate.decide(&signals);
        // A tick that comes late does not let in two seconds' worth at once.
        let elapsed = self.last.map_or(1.0, |last| now.since(last).as_secs_f64().min(1.0));
        self.last = Some(now);
        self.owed = (self.owed.fract() + decided.rate * elapsed).min(decided.rate.max(1.0));
        if decided.rate <= 0.0 {
            self.owed = 0.0;
        }
        // At most four thousand million a second: bounds are far below.
        (self.owed as u32, Regulated { decided, signals, at: now })
    }

    /// So many were there to be let in.
    pub(super) fn let_in(&mut self, count: u32) {
        self.let_in = count;
    }
}
