//! Money that is owed for tickets that came back, as the workflow asks for its record.

use std::time::Duration;

use super::attempt::Attempt;
use super::attempts::StoreUnavailable;
use super::provider::GiveBack;
use crate::id::{OrderId, RefundId};
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
    /// How often the provider has answered with an error of its own, or the money has come back to us.
    pub errors: u32,
    /// What took the money.
    pub attempt: Attempt,
    /// When it was decided.
    pub created_at: Moment,
}

/// How far the refunds of one order are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaidBack {
    /// Those that have been paid.
    pub paid: Vec<GiveBack>,
    /// Whether one is still to be paid.
    pub is_owed: bool,
    /// Whether one can be paid now, so that it may have been paid this instant.
    pub is_paying: bool,
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

    /// Whether so much may be asked for after so many errors: it is due, of this amount, nobody has counted
    /// another error since, and it has not been refused. Not where it was forgiven or cut down meanwhile.
    fn may_be_asked(
        &self,
        refund: RefundId,
        errors: u32,
        money: Money,
    ) -> Later<'_, Result<bool, StoreUnavailable>>;

    /// The provider answered with an error of its own, asked after so many of them. Again: the same.
    fn erred(&self, refund: RefundId, errors: u32) -> Later<'_, Result<(), StoreUnavailable>>;

    /// The provider refused it, asked after so many errors; for so long it is not told as due.
    fn refused(
        &self,
        refund: RefundId,
        errors: u32,
        again_after: Duration,
    ) -> Later<'_, Result<(), StoreUnavailable>>;

    /// What is due of money that a bank has taken back already is not owed: the buyer has it.
    fn forgive(&self) -> Later<'_, Result<(), StoreUnavailable>>;

    /// How far those of this order are, of money that was taken.
    fn of_order(&self, order: OrderId) -> Later<'_, Result<PaidBack, StoreUnavailable>>;

    /// What was paid has come back to us: it is due again, and for so long not told as due, and the reverse of
    /// its posting is booked. Says whether it was; not where it has moved since it was read like this.
    fn failed<'a>(
        &'a self,
        refund: &'a GiveBack,
        again_after: Duration,
    ) -> Later<'a, Result<bool, StoreUnavailable>>;

    /// So much is back, asked for after so many errors, and booked, whatever was forgiven of it meanwhile. Says
    /// whether that payment is; again: the same. Not where another error has been counted since, or that
    /// payment has come back: it was another's.
    fn settle(
        &self,
        refund: RefundId,
        errors: u32,
        paid: Money,
    ) -> Later<'_, Result<bool, StoreUnavailable>>;
}
