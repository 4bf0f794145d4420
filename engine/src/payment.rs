//! Money's side of an order: what a payment attempt is, which steps it may take, and what the
//! workflow needs of the world. No lock, transaction or actor is held while a provider is waited for.

mod attempt;
pub mod memory;
pub mod workflow;

pub use attempt::{Attempt, AttemptStatus, Failure, STEPS, Step, StepKind};

use crate::buyer::BuyerId;
use crate::hold::{Fingerprint, HoldStatus};
use crate::id::{AttemptId, OrderId};
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;
use crate::order::Verdict;

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
    /// An operator has stopped all purchases of the site, for this reason.
    PurchasesPaused(String),
    /// An operator has stopped the event's sale.
    SalePaused {
        /// When it opens or did.
        opens_at: Moment,
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

    /// Takes the step if the attempt's status allows it ([`STEPS`]), and says what the attempt is
    /// afterwards, whether this call moved it or not.
    fn step<'a>(
        &'a self,
        attempt: AttemptId,
        step: &'a Step,
    ) -> Later<'a, Result<Attempt, StoreUnavailable>>;

    /// The attempt as it is.
    fn find(&self, attempt: AttemptId) -> Later<'_, Result<Option<Attempt>, StoreUnavailable>>;

    /// Attempts whose status is not final, oldest first and by id where they are as old: so many at the
    /// most, behind the one of this time and id.
    fn unfinished(
        &self,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>>;
}

/// What the provider's own record of an authorisation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorisation {
    /// The provider's name for it.
    pub reference: String,
    /// The order in its metadata.
    pub order: OrderId,
    /// How much.
    pub money: Money,
}

/// What a provider answered to a question about an authorisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAnswer {
    /// There is one, and nothing else became of it.
    Authorised(Authorisation),
    /// Definitely no.
    Declined(Failure),
    /// The provider works on it.
    InProgress,
    /// The provider has never heard of the key.
    NoSuchKey,
    /// No telling: a time-out, a broken connection, an error on the other side.
    Unknown(String),
}

/// What a provider answered to a capture or a void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoneyMoved {
    /// Done, now or before.
    Done,
    /// Definitely not, and why.
    Refused(Failure),
    /// No telling; ask again.
    Unknown(String),
}

/// Somebody who moves money. Every call may be repeated with the same attempt: the attempt's id is
/// the key at the provider.
pub trait PaymentProvider: Send + Sync + 'static {
    /// The provider's name, as attempts record it.
    fn name(&self) -> &'static str;
    /// Reserves the attempt's amount.
    fn authorise<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer>;
    /// What became of the attempt's authorisation.
    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer>;
    /// Takes the reserved amount.
    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved>;
    /// Gives the reserved amount free.
    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved>;
}

/// Who decides whether an authorised attempt gets its seats: the event's owner.
pub trait Confirmations: Send + Sync + 'static {
    /// The verdict, durable; `None` if it could not be learnt in time. May be asked again.
    fn confirm(&self, order: OrderId, attempt: AttemptId) -> Later<'_, Option<Verdict>>;
}
