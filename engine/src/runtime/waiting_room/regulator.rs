//! From what the sale measures of itself to how many are let in this second.

use crate::moment::Moment;
use crate::waiting_room::rate::{AdmissionRate, Decided, RateBounds, SaleSignals, Signals};

/// What a sale measures of itself.
pub trait SaleGauge: Send + Sync + 'static {
    /// What has been measured since it was asked last.
    fn measure(&self) -> SaleSignals;

    /// When it opens, or has opened.
    fn opens_at(&self) -> Moment;
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
        let signals = Signals { sale, active, somebody_waits, let_in: self.let_in };
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
