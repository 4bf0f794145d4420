//! From what the sale measures of itself to how many are let in this second.

use crate::buyer::BuyerId;
use crate::moment::Moment;
use crate::telemetry::AdmissionTold;
use crate::waiting_room::control::Control;
use crate::waiting_room::line::Line;
use crate::waiting_room::rate::{
    AdmissionRate, Decided, LimitedBy, RateBounds, SaleSignals, Signals,
};

/// What a sale measures of itself.
pub trait SaleGauge: Send + Sync + 'static {
    /// What has been measured since it was asked last.
    fn measure(&self) -> SaleSignals;

    /// When it opens, or has opened.
    fn opens_at(&self) -> Moment;

    /// Who has bought since this was asked last.
    fn bought(&self) -> Vec<BuyerId>;
}

/// What was decided, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regulated {
    /// The rate, and what limits it.
    pub decided: Decided,
    /// What was measured.
    pub signals: Signals,
    /// What an operator has set.
    pub control: Control,
    /// When.
    pub at: Moment,
}

/// Decides once a second.
#[derive(Debug)]
pub(super) struct Regulator {
    bounds: RateBounds,
    rate: AdmissionRate,
    told: AdmissionTold,
    /// What was decided and is not a whole person yet.
    owed: f64,
    let_in: u32,
    last: Option<Moment>,
}

impl Regulator {
    pub(super) fn new(bounds: RateBounds) -> Self {
        let (rate, told) = (AdmissionRate::new(bounds), AdmissionTold::default());
        Self { bounds, rate, told, owed: 0.0, let_in: 0, last: None }
    }

    /// How many may be let in now.
    pub(super) fn decide(
        &mut self,
        sale: SaleSignals,
        line: &Line,
        control: Control,
        now: Moment,
    ) -> (u32, Regulated) {
        let signals = Signals {
            sale,
            paused: control.paused,
            active: line.active(now),
            somebody_waits: line.served() < line.joined(),
            let_in: self.let_in,
        };
        let ceiling = control.ceiling.map_or(self.bounds.ceiling, |it| it.min(self.bounds.ceiling));
        self.rate.set_bounds(RateBounds { ceiling, ..self.bounds });
        // What a sale that is not open measures says nothing, and least of all that it bears less.
        let decided = match line.draw() {
            Some(_) => self.rate.decide(&signals),
            None => Decided { rate: 0.0, limited_by: LimitedBy::NotOpen },
        };
        // A tick that comes late does not let in two seconds' worth at once.
        let elapsed = self.last.map_or(1.0, |last| now.since(last).as_secs_f64().min(1.0));
        self.last = Some(now);
        self.owed = (self.owed.fract() + decided.rate * elapsed).min(decided.rate.max(1.0));
        if decided.rate <= 0.0 {
            self.owed = 0.0;
        }
        self.told.tell(&decided, &signals, line);
        // At most four thousand million a second: bounds are far below.
        (self.owed as u32, Regulated { decided, signals, control, at: now })
    }

    /// So many were there to be let in.
    pub(super) fn let_in(&mut self, count: u32) {
        self.let_in = count;
    }
}
