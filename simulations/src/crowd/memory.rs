//! What buyers and operators have been told, as far as they go on from it.

use std::collections::BTreeSet;

use taquilla_auditor::oracle::{Asked, Change, Claim, Hall, HoldName, Told};
use taquilla_engine::moment::Moment;

use super::operations::Trail;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Holds that were granted, with what was granted.
    pub(super) granted: Vec<(HoldName, Claim)>,
    /// Holds with an order. Only what somebody was told of is ever paid.
    pub(super) ordered: Vec<HoldName>,
    /// Orders that are sold, with how many tickets each had.
    pub(super) sold: Vec<(HoldName, u32)>,
    /// Requests that were sent, to be sent again.
    pub(super) sent: Vec<(u32, Asked)>,
    /// What operators did.
    pub(super) trail: Trail,
    /// When holds end that buyers know of, and when the sale opens and closes: off by one instant is
    /// easily missed.
    ends: BTreeSet<Moment>,
}

impl Memory {
    pub(super) fn new(hall: &Hall) -> Self {
        let ends = [hall.terms.opens_at, hall.terms.closes_at].map(Moment).into();
        Self { ends, ..Self::default() }
    }

    /// The next end of something before `soon`, which is then known no longer.
    pub(super) fn next_end(&mut self, now: Moment, soon: Moment) -> Option<Moment> {
        self.ends.retain(|end| *end > now);
        let end = self.ends.first().copied().filter(|end| *end < soon)?;
        self.ends.remove(&end);
        Some(end)
    }

    pub(super) fn learn(&mut self, asked: &Asked, told: &Told) {
        match told {
            Told::Hold(shown) => {
                let known = self.granted.iter_mut().rev().find(|it| it.0 == shown.name);
                match known {
                    Some(known) => known.1 = shown.claim.clone(),
                    None => {
                        self.granted.push((shown.name, shown.claim.clone()));
                        self.ends.insert(Moment(shown.expires_at));
                    }
                }
            }
            Told::Order(shown) if shown.created => {
                self.ordered.push(shown.hold.name);
                if shown.total == 0 {
                    self.sold.push((shown.hold.name, shown.hold.claim.quantity()));
                }
            }
            Told::Verdict(true) => self.bought(asked),
            Told::Operated(_) => self.operated(asked),
            Told::Order(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Verdict(false)
            | Told::Refunded(_)
            | Told::Refused(_) => {}
        }
    }

    fn bought(&mut self, asked: &Asked) {
        let Asked::Confirm { order_of, .. } = asked else { return };
        let granted = self.granted.iter().rev().find(|(name, _)| name == order_of);
        self.sold.extend(granted.map(|(name, claim)| (*name, claim.quantity())));
    }

    /// An operator's change was made.
    pub(super) fn operated(&mut self, asked: &Asked) {
        let Asked::Operate { change, .. } = asked else { return };
        match change {
            Change::Pause => self.trail.paused = true,
            Change::Resume => self.trail.paused = false,
            Change::Close => self.trail.closed = true,
            Change::Amend(amendment) => {
                self.trail.closed &= amendment.closes_at.is_none();
                let turns = [amendment.opens_at, amendment.closes_at];
                self.ends.extend(turns.into_iter().flatten().map(Moment));
            }
            Change::Open | Change::Blocks { .. } => {}
        }
    }
}
