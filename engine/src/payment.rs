//! Money's side of an order: what a payment attempt is, which steps it may take, and what the
//! workflow needs of the world. No lock, transaction or actor is held while a provider is waited for.

mod attempt;
mod attempts;
pub mod memory;
mod provider;
pub mod reconciliation;
mod refunds;
mod step;
pub mod workflow;

pub use attempt::{Attempt, AttemptStatus, Failure, NextAction};
pub use attempts::{Attempts, NewAttempt, NotOpened, Opened, StoreUnavailable};
pub use provider::{
    Authorisation, GiveBack, GivenBack, MoneyMoved, PaymentProvider, ProviderAnswer,
    ProviderRecord, RecordPage, UnreadableRecord,
};
pub use refunds::{DueRefund, PaidBack, Refunds};
pub use step::{STEPS, Step, StepKind};

use crate::id::{AttemptId, OrderId};
use crate::later::Later;
use crate::order::Verdict;
use crate::refund::TicketReturn;

/// Who decides whether an authorised attempt gets its seats: the event's owner.
pub trait Confirmations: Send + Sync + 'static {
    /// The verdict, durable; `None` if it could not be learnt in time. May be asked again.
    fn confirm(&self, order: OrderId, attempt: AttemptId) -> Later<'_, Option<Verdict>>;

    /// The attempt has become uncertain: where the sale says so, its hold lives longer, once, if it is in its
    /// last minute. May be asked again.
    fn extend(&self, order: OrderId, attempt: AttemptId) -> Later<'_, ()>;

    /// Takes sold tickets back. Whether they are void, durably, or nothing was left to take; no, if that
    /// could not be learnt in time. May be asked again.
    fn take_back(&self, asked: TicketReturn) -> Later<'_, bool>;
}
