//! The durable record of payment attempts, as the workflow asks for one.

use super::attempt::Attempt;
use super::step::Step;
use crate::buyer::BuyerId;
use crate::hold::{Fingerprint, HoldStatus};
use crate::id::{AttemptId, OrderId};
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;
use crate::refund::SoldOrder;
use crate::sale::SaleStatus;

/// A buyer's wish to pay for an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttempt {
    /// Derived from event, buyer and key.
    pub id: AttemptId,
    /// What is paid for.
    pub order: OrderId,
    /// Who pays.
    pub buyer: BuyerId,
    /// Of the request.
    pub fingerprint: Fingerprint,
    /// The provider's token, as the buyer sent it.
    pub method: String,
    /// The provider's name.
    pub provider: String,
}

/// What came of [`Attempts::open`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The intent is durable: the provider may be called.
    Created(Attempt),
    /// The key's earlier attempt, as it is now.
    Replayed(Attempt),
    /// The key was used for another request.
    KeyReused,
    /// No such order, or another buyer's.
    NotFound,
    /// An operator or a safety rule has stopped all purchases of the site, for this reason.
    PurchasesPaused(String),
    /// The provider's books and ours differ so that money could be wrong: no new payment is taken until
    /// they agree, or an operator says so.
    PaymentsClosed,
    /// An operator has stopped the event's sale, or the event does not take place.
    SaleNotOpen {
        /// When it opens or did.
        opens_at: Moment,
        /// Where the sale stands.
        status: SaleStatus,
    },
    /// The order's hold is over, released or sold.
    HoldNotActive {
        /// What the hold is.
        status: HoldStatus,
        /// Whether this repeats the key's earlier result.
        replayed: bool,
    },
    /// An attempt is open already, the order has come to its end, or its attempts are used up.
    OrderNotPayable {
        /// The order's public status.
        status: String,
        /// Whether this repeats the key's earlier result.
        replayed: bool,
    },
}

/// The store could not say. The transition may have happened; every one may be asked for again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store of payment attempts is unavailable: {0}")]
pub struct StoreUnavailable(pub String);

/// Why an attempt was not opened, as far as the store can say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    /// The store has too much to do; nothing was asked of it.
    #[error("the store has too much to do")]
    Overloaded,
    /// Nothing was recorded, for certain.
    #[error(transparent)]
    ForCertain(StoreUnavailable),
    /// It may be recorded or not.
    #[error(transparent)]
    Perhaps(StoreUnavailable),
}

/// The durable record of payment attempts.
pub trait Attempts: Send + Sync + 'static {
    /// Records the intent, before any provider hears of it.
    fn open<'a>(&'a self, new: &'a NewAttempt) -> Later<'a, Result<Opened, NotOpened>>;

    /// Takes the step if the attempt's status allows it ([`super::STEPS`]) and its count of errors is the one that
    /// the step was asked after ([`Step::asked_after`]), and says what the attempt is
    /// afterwards, whether this call moved it or not. What money moved is booked with the step.
    fn step<'a>(
        &'a self,
        attempt: AttemptId,
        step: &'a Step,
    ) -> Later<'a, Result<Attempt, StoreUnavailable>>;

    /// The attempt as it is.
    fn find(&self, attempt: AttemptId) -> Later<'_, Result<Option<Attempt>, StoreUnavailable>>;

    /// Attempts whose status is not final and that are not put off, oldest first and by id where they are as old: so many at the
    /// most, behind the one of this time and id.
    fn unfinished(
        &self,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>>;

    /// Attempts whose capture was refused, and that nobody has settled: so many at the most, of those refused
    /// before this time, or whose order has no valid ticket any more, so that there is nothing to settle.
    fn capture_failed(
        &self,
        before: Moment,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>>;

    /// The order as its rows have it, if there is one.
    fn sold(&self, order: OrderId) -> Later<'_, Result<Option<SoldOrder>, StoreUnavailable>>;

    /// Books what a bank took back, once a notice, as far as that much was taken and no bank has it yet. Where it is
    /// booked, now or before: what the provider still has of the attempt's money, in minor units, but for what
    /// is to be given back of it.
    fn charge_back<'a>(
        &'a self,
        attempt: AttemptId,
        notice: &'a str,
        money: Money,
    ) -> Later<'a, Result<Option<i64>, StoreUnavailable>>;

    /// Books what a bank took back and has returned, once a notice, as far as that much is booked as taken
    /// back. Whether it is booked, now or before.
    fn reinstate<'a>(
        &'a self,
        attempt: AttemptId,
        notice: &'a str,
        money: Money,
    ) -> Later<'a, Result<bool, StoreUnavailable>>;

    /// How many attempts have money reserved that the provider lets go by itself before this time.
    fn lapsing(&self, before: Moment) -> Later<'_, Result<u64, StoreUnavailable>>;
}
