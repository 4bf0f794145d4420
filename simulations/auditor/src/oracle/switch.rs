//! Something that is on or off, with all its past.

use super::Instant;
use super::seats::Span;

/// Off at first.
#[derive(Debug, Default)]
pub(super) struct Switch {
    turns: Vec<(Instant, bool)>,
}

impl Switch {
    pub(super) fn turn(&mut self, at: Instant, on: bool) {
        self.turns.push((at, on));
    }

    pub(super) fn is_on(&self, at: Instant) -> bool {
        let before = self.turns.iter().rev().find(|(turned_at, _)| *turned_at <= at);
        before.is_some_and(|(_, on)| *on)
    }

    /// Whether it was turned at just this instant: what was decided in the same breath may have come before.
    pub(super) fn is_turned(&self, at: Instant) -> bool {
        self.turns.iter().any(|(turned_at, _)| *turned_at == at)
    }

    /// When it was turned in this time.
    pub(super) fn turned_within(
        &self,
        span: std::ops::RangeInclusive<Instant>,
    ) -> impl Iterator<Item = Instant> {
        self.turns.iter().map(|(at, _)| *at).filter(move |at| span.contains(at))
    }

    /// Whether it was off at some instant of this time.
    pub(super) fn was_off(&self, span: Span) -> bool {
        let within = |at: Instant| span.from <= at && at <= span.to;
        !self.is_on(span.from) || self.turns.iter().any(|(at, on)| !on && within(*at))
    }
}
