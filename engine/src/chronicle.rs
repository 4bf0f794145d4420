//! What was refused, for operators who ask later: who wanted what, when, and why not.
//!
//! Nothing waits for it. A caller has his answer before it is written, once a second, beside the lane;
//! a crash may lose the last second, and what does not fit is counted and dropped. What was granted is
//! not here: the journal's history tells that for ever. The engine asks; persistence answers with
//! Postgres, and [`memory::MemoryChronicle`] is the reference.

pub mod memory;

use std::sync::Arc;

use crate::answer::{Answer, Outcome};
use crate::command::{Command, Request};
use crate::id::EventNumber;
use crate::later::Later;
use crate::moment::Moment;
use crate::refusal::Refusal;

/// Where refusals are kept.
pub trait Chronicle: Send + Sync + 'static {
    /// Keeps what one event refused since the last time, in order; at most a buffer's worth, never
    /// nothing. It is not asked twice for the same refusals.
    fn write<'a>(
        &'a self,
        event: EventNumber,
        refused: &'a [Refused],
    ) -> Later<'a, Result<(), ChronicleUnavailable>>;
}

/// They could not be kept, or perhaps were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("refusals could not be written: {0}")]
pub struct ChronicleUnavailable(pub String);

/// One decided no.
#[derive(Clone, Debug)]
pub struct Refused {
    /// When it was decided.
    pub at: Moment,
    /// What was asked.
    pub request: Arc<Request>,
    /// Why not.
    pub refusal: Refusal,
}

impl Refused {
    /// The refusal in this answer, if it is one that is told: of a command that would have changed
    /// something, and for the state of the sale, not for what is wrong with the request. A repeat by key
    /// is no other decision. That an attempt is void due is in the history.
    #[must_use]
    pub fn of(request: &Arc<Request>, answer: &Answer) -> Option<Self> {
        let refusal = match &answer.outcome {
            Outcome::Hold(_)
            | Outcome::Holds(_)
            | Outcome::Released
            | Outcome::Order { .. }
            | Outcome::Verdict(_)
            | Outcome::Refunded(_)
            | Outcome::Extension(_)
            | Outcome::Operated(_) => return None,
            Outcome::Refused(refusal) => refusal,
        };
        let told = changes_something(&request.command) && is_of_the_sale(refusal);
        (told && !answer.replayed).then(|| Self {
            at: answer.as_of,
            request: Arc::clone(request),
            refusal: refusal.clone(),
        })
    }
}

/// An operator's own refusals are told to him, and to nobody else.
fn changes_something(command: &Command) -> bool {
    match command {
        Command::PlaceHold { .. }
        | Command::ReleaseHold { .. }
        | Command::GiveBack { .. }
        | Command::PlaceOrder { .. }
        | Command::CancelOrder { .. } => true,
        Command::ConfirmOrder { .. }
        | Command::ExtendHold { .. }
        | Command::ReadHold { .. }
        | Command::ReadHolds { .. }
        | Command::ReturnTickets(_)
        | Command::Operate(_) => false,
    }
}

/// Whoever comes without admission, or again and again, is many, says nothing of seats, and would crowd out those
/// who do.
fn is_of_the_sale(refusal: &Refusal) -> bool {
    match refusal {
        Refusal::NotFound
        | Refusal::SaleNotOpen { .. }
        | Refusal::HoldNotActive(_)
        | Refusal::OrderNotCancellable
        | Refusal::BuyerLimitExceeded { .. }
        | Refusal::SeatsUnavailable { .. } => true,
        Refusal::KeyReused
        | Refusal::UnknownSeats(_)
        | Refusal::PartTooLarge { .. }
        | Refusal::UnknownTickets(_)
        | Refusal::RefundNotPossible
        | Refusal::TermsInvalid(_)
        | Refusal::PurchasesPaused(_)
        | Refusal::AdmissionRequired
        | Refusal::HoldsDropped { .. }
        | Refusal::ConflictsWithSales(_) => false,
    }
}
