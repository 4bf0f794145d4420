//! Money that is owed for tickets that came back, as the workflow asks for its record.

use std::time::Duration;

use super::attempt::Attempt;
use super::attempts::StoreUnavailable;
use crate::id::RefundId;
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;

/// A refund that is to be paid, of an attempt whose money was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueRefund {
    /// Names it, at the provider too.
    pub id: RefundId,
    /// How much goes back.
    pub money: Money,
    /// How often the provider has answered with an error of its own.
    pub errors: u32,
    /// What took the money.
    pub attempt: Attempt,
    /// When it was decided.
    pub created_at: Moment,
}

/// The durable record of refunds. The event's lane writes that one is due; from then on only the
/// workflow moves it.
pub trait Refunds: Send + Sync + 'static {
    /// Refunds that are to be paid and can be, oldest first and by id where they are as old: so many at the
    /// most, behind the one of this time and id. One whose capture is on its way is not among them yet.
    fn due(
        &self,
        after: Option<(Moment, RefundId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<DueRefund>, StoreUnavailable>>;

    /// The provider answered with an error of its own.
    fn erred(&self, refund: RefundId) -> Later<'_, Result<(), StoreUnavailable>>;

    /// The provider refused it; for so long it is not told as due.
    fn refused(
        &self,
        refund: RefundId,
        again_after: Duration,
    ) -> Later<'_, Result<(), StoreUnavailable>>;

    /// What is due of money that a bank has taken back already is not owed: the buyer has it.
    fn forgive(&self) -> Later<'_, Result<(), StoreUnavailable>>;

    /// The money is back, and booked. Again: the same.
    fn settle(&self, refund: RefundId) -> Later<'_, Result<(), StoreUnavailable>>;
}
