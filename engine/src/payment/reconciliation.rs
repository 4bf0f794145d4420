//! Our record of money against the provider's own books: who says what, and which differences mean
//! that money could be wrong.
//!
//! [`compare`] looks at one record at a time and is pure; [`reconcile`] turns the provider's pages and
//! asks our rows for each, then looks for what the provider never showed. Nothing here moves money or
//! mends a row: what differs is told, and somebody has to look.

mod compare;
mod difference;
mod memory;
mod run;

pub use compare::{Compared, compare, never_shown, unreadable};
pub use difference::{Difference, DifferenceKind};
pub use memory::MemorySettlements;
pub use run::{NotReconciled, Reconciliation, ReconciliationSettings, Verdict, reconcile};

use super::attempt::AttemptStatus;
use super::attempts::StoreUnavailable;
use super::provider::ProviderRecord;
use crate::id::{AttemptId, OrderId};
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;

/// Our side of one attempt's money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The attempt.
    pub attempt: AttemptId,
    /// What it is to pay.
    pub order: OrderId,
    /// The provider's name for it, once there is one.
    pub reference: Option<String>,
    /// Where it stands.
    pub status: AttemptStatus,
    /// What the provider reserved or took, as we recorded it.
    pub reserved: Option<Money>,
    /// What we have booked as given back, in minor units.
    pub refunded: i64,
    /// What we have booked as taken back by the buyer's bank.
    pub charged_back: i64,
    /// Whether money of its order is still to be given back.
    pub refund_due: bool,
    /// When the intent was recorded.
    pub created_at: Moment,
    /// When anything about its money was last written.
    pub moved_at: Moment,
}

impl Settlement {
    /// Whether it stands still since that time: what is on its way differs from the provider's books
    /// for good reasons.
    #[must_use]
    pub fn is_settled_since(&self, at: Moment) -> bool {
        self.status.is_final() && !self.refund_due && self.moved_at <= at
    }

    /// Whether this record of the same attempt is not the one that we know of.
    #[must_use]
    pub fn is_under_another(&self, record: &ProviderRecord) -> bool {
        self.reference.as_ref().is_some_and(|it| *it != record.reference)
    }
}

/// Our record of money, as a reconciliation reads it. What is told is durable.
pub trait Settlements: Send + Sync {
    /// What we have of these attempts with this provider; in any order, those that there are.
    fn of<'a>(
        &'a self,
        provider: &'a str,
        attempts: &'a [AttemptId],
    ) -> Later<'a, Result<Vec<Settlement>, StoreUnavailable>>;

    /// Attempts with this provider that were recorded since then and have come to an end for which money
    /// had to be reserved first, oldest first and by id where they are as old: so many at the most, behind
    /// the one of this time and id.
    fn with_money<'a>(
        &'a self,
        provider: &'a str,
        since: Moment,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'a, Result<Vec<Settlement>, StoreUnavailable>>;
}
