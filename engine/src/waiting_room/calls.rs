//! When each position was called: a line for each time that the number served was raised.

use std::time::Duration;

use crate::moment::Moment;

/// Everybody below `served` has been called, the last of them then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Positions below this have been called.
    pub served: u32,
    /// When that was decided.
    pub at: Moment,
}

/// All calls of a sale, in order: one a second at most, so a night of them is a megabyte.
#[derive(Clone, Debug, Default)]
pub struct Calls(Vec<Call>);

impl Calls {
    /// From rows, in order.
    #[must_use]
    pub fn of(calls: Vec<Call>) -> Self {
        debug_assert!(
            calls.is_sorted_by(|one, next| one.served < next.served && one.at <= next.at)
        );
        Self(calls)
    }

    /// Positions below this have been called.
    #[must_use]
    pub fn served(&self) -> u32 {
        self.0.last().map_or(0, |call| call.served)
    }

    /// Another one. One that calls nobody is not kept.
    pub fn push(&mut self, call: Call) {
        if call.served > self.served() {
            self.0.push(call);
        }
    }

    /// When this position was called, if it has been.
    #[must_use]
    pub fn called_at(&self, position: u32) -> Option<Moment> {
        let after = self.0.partition_point(|call| call.served <= position);
        self.0.get(after).map(|call| call.at)
    }

    /// How many positions were called later than then.
    #[must_use]
    pub fn called_after(&self, then: Moment) -> u32 {
        let before = self.0.partition_point(|call| call.at <= then);
        let served_before = before.checked_sub(1).map_or(0, |last| self.0[last].served);
        self.served() - served_before
    }

    /// How fast the line moved in the time before now, in positions a second; none before the first call.
    #[must_use]
    pub fn pace(&self, now: Moment, over: Duration) -> Option<f64> {
        let first = self.0.first()?;
        let from = first.at.max(now - over);
        let elapsed = now.since(from).as_secs_f64().max(1.0);
        Some(f64::from(self.called_after(from - Duration::from_micros(1))) / elapsed)
    }
}
