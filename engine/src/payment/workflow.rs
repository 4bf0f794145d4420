//! What an attempt needs next, and what an answer teaches. Pure; the runner that calls providers is
//! in `runtime`. Every task may be done again after a crash: the attempt's status says which is due.

use std::time::Duration;

use super::{Attempt, AttemptStatus, Authorisation, Failure, ProviderAnswer, Step};
use crate::moment::Moment;
use crate::money::Money;

/// How long a question that was cut off may still be on its way to the provider. An attempt that it does
/// not know is given up no earlier.
const ON_ITS_WAY_MAX: Duration = Duration::from_secs(60);

/// The code of an attempt that stayed unknown for too long.
pub const UNKNOWN_TOO_LONG: &str = "unknown_too_long";

/// What is to be done for an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Ask the provider for the money.
    Authorise,
    /// Ask the provider what became of it.
    Find,
    /// Ask the event for the seats.
    AskForSeats,
    /// Take the money.
    Capture,
    /// Let it go.
    Void,
    /// Have the order's tickets taken back.
    TakeTicketsBack,
    /// Give back what was taken.
    Refund,
    /// Nothing: it has come to its end.
    Rest,
}

/// What a provider's answer means for the attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Learnt {
    /// Record this.
    Step(Step),
    /// Nothing is reserved, so asking for the money is safe.
    Authorise,
    /// Nothing is reserved, and nothing shall be.
    Withdraw,
    /// Nothing yet: ask again later.
    Wait,
    /// Nothing yet, and somebody should look.
    Alert(Failure),
}

/// When an answer is looked at, and how long the attempt may stay unknown.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The present instant.
    pub now: Moment,
    /// As [`super::PaymentProvider::unknown_max`].
    pub unknown_max: Duration,
}

/// What the attempt needs next. A pending attempt of an earlier process may have reached the provider:
/// it is asked for first. So is one that waits for its buyer, also when it is not wanted any more: what
/// is withdrawn after all must be known not to be reserved, or nobody would book it.
#[must_use]
pub fn next(attempt: &Attempt, resumed: bool) -> Task {
    match attempt.status {
        AttemptStatus::Pending if !resumed => Task::Authorise,
        AttemptStatus::Pending | AttemptStatus::Verifying | AttemptStatus::RequiresAction => {
            Task::Find
        }
        AttemptStatus::Authorized => Task::AskForSeats,
        AttemptStatus::Confirmed => Task::Capture,
        AttemptStatus::VoidDue => Task::Void,
        AttemptStatus::RefundDue if attempt.is_put_off => Task::Rest,
        AttemptStatus::RefundDue => Task::Refund,
        AttemptStatus::ReturnDue => Task::TakeTicketsBack,
        AttemptStatus::CaptureFailed
        | AttemptStatus::Captured
        | AttemptStatus::Declined
        | AttemptStatus::Voided
        | AttemptStatus::Refunded
        | AttemptStatus::Failed => Task::Rest,
    }
}

/// What the answer to [`Task::Authorise`] or [`Task::Find`] means. Only the provider's own record,
/// matching order, amount and currency, is a definite yes.
#[must_use]
pub fn learn(attempt: &Attempt, answer: ProviderAnswer, limits: Limits) -> Learnt {
    let wanted = attempt.is_wanted_at(limits.now);
    let too_long = limits.now >= attempt.created_at + limits.unknown_max;
    match answer {
        ProviderAnswer::Authorised(found) => Learnt::Step(authorised(attempt, found)),
        ProviderAnswer::Captured(found) => {
            Learnt::Step(Step::Taken { reference: found.reference, taken: found.money })
        }
        ProviderAnswer::Declined(failure) => Learnt::Step(Step::Declined(failure)),
        ProviderAnswer::Cancelled { reserved: Some(found) } => {
            Learnt::Step(Step::LetGo { reference: found.reference, was_reserved: found.money })
        }
        ProviderAnswer::Cancelled { reserved: None } => {
            let why = "nothing is reserved at the provider any more";
            Learnt::Step(Step::GivenUp(Failure::new("cancelled", why)))
        }
        // What has no name yet cannot be withdrawn: it is recorded first.
        ProviderAnswer::ActionRequired { .. } if !wanted && attempt.reference.is_some() => {
            Learnt::Withdraw
        }
        ProviderAnswer::ActionRequired { .. }
            if attempt.status == AttemptStatus::RequiresAction =>
        {
            Learnt::Wait
        }
        ProviderAnswer::ActionRequired { reference, action } => {
            Learnt::Step(Step::ActionRequired { reference, action })
        }
        ProviderAnswer::Opened { reference } if attempt.reference.is_none() => {
            Learnt::Step(Step::Opened { reference })
        }
        ProviderAnswer::Opened { .. } if wanted => Learnt::Authorise,
        ProviderAnswer::Opened { .. } => Learnt::Withdraw,
        ProviderAnswer::NoSuchKey if wanted && !too_long => Learnt::Authorise,
        ProviderAnswer::NoSuchKey if limits.now >= attempt.created_at + ON_ITS_WAY_MAX => {
            let why = "the order came to its end before the provider was reached";
            Learnt::Step(Step::GivenUp(Failure::new("not_asked", why)))
        }
        ProviderAnswer::InProgress if too_long => {
            let why = "the provider did not say in time what became of it";
            Learnt::Step(Step::GivenUp(Failure::new(UNKNOWN_TOO_LONG, why)))
        }
        ProviderAnswer::Erred(_) => Learnt::Step(erred(attempt)),
        ProviderAnswer::NoSuchKey | ProviderAnswer::InProgress | ProviderAnswer::Unknown(_) => {
            unclear(attempt.status)
        }
    }
}

/// What the provider's record means after a withdrawal that was done: the buyer may have acted a moment
/// before, and then money was reserved, and let go.
#[must_use]
pub fn withdrawn(record: ProviderAnswer) -> Learnt {
    match record {
        ProviderAnswer::Cancelled { reserved: Some(found) } => {
            Learnt::Step(Step::LetGo { reference: found.reference, was_reserved: found.money })
        }
        ProviderAnswer::Cancelled { reserved: None }
        | ProviderAnswer::Declined(_)
        | ProviderAnswer::NoSuchKey => {
            let why = "the buyer did not do in time what the bank wanted";
            Learnt::Step(Step::GivenUp(Failure::new("not_completed", why)))
        }
        ProviderAnswer::Opened { .. }
        | ProviderAnswer::ActionRequired { .. }
        | ProviderAnswer::Authorised(_)
        | ProviderAnswer::Captured(_)
        | ProviderAnswer::InProgress
        | ProviderAnswer::Erred(_)
        | ProviderAnswer::Unknown(_) => Learnt::Wait,
    }
}

/// What the provider's record means after a withdrawal that was not done: `refusal` says why not, and is
/// none after an error of the provider's own.
#[must_use]
pub fn not_withdrawn(
    attempt: &Attempt,
    refusal: Option<&Failure>,
    record: ProviderAnswer,
    limits: Limits,
) -> Learnt {
    match learn(attempt, record, limits) {
        Learnt::Authorise | Learnt::Withdraw if refusal.is_none() => Learnt::Step(erred(attempt)),
        Learnt::Authorise | Learnt::Withdraw => Learnt::Wait,
        learnt @ (Learnt::Step(_) | Learnt::Wait | Learnt::Alert(_)) => learnt,
    }
}

/// What the provider's record means after a capture that was not done; `refusal` as above.
#[must_use]
pub fn not_captured(attempt: &Attempt, refusal: Option<Failure>, record: ProviderAnswer) -> Learnt {
    match record {
        ProviderAnswer::Captured(found) if found.money == attempt.money => {
            Learnt::Step(Step::Captured)
        }
        ProviderAnswer::Captured(found) => Learnt::Alert(another_sum_taken(found.money)),
        ProviderAnswer::Cancelled { .. } | ProviderAnswer::Declined(_) => {
            let why = "nothing is reserved at the provider any more";
            let failure = refusal.unwrap_or_else(|| Failure::new("authorisation_gone", why));
            Learnt::Step(Step::CaptureRefused(failure))
        }
        ProviderAnswer::Authorised(_) => Learnt::Step(match refusal {
            Some(failure) => Step::CaptureRefused(failure),
            None => erred(attempt),
        }),
        ProviderAnswer::Opened { .. }
        | ProviderAnswer::ActionRequired { .. }
        | ProviderAnswer::NoSuchKey => not_there(refusal),
        ProviderAnswer::InProgress | ProviderAnswer::Erred(_) | ProviderAnswer::Unknown(_) => {
            Learnt::Wait
        }
    }
}

/// A provider that does not move money which it had reserved, and has no record of it, is asked again;
/// somebody should look.
fn not_there(refusal: Option<Failure>) -> Learnt {
    refusal.map_or(Learnt::Wait, Learnt::Alert)
}

fn another_sum_taken(money: Money) -> Failure {
    let Money { amount, currency } = money;
    let why = format!(
        "the provider has taken {amount} {currency}, in minor units, and not the order's total"
    );
    Failure::new("capture_mismatch", why)
}

/// What the provider's record means after a void that was not done; `refusal` as above.
#[must_use]
pub fn not_voided(attempt: &Attempt, refusal: Option<Failure>, record: ProviderAnswer) -> Learnt {
    match record {
        ProviderAnswer::Cancelled { .. } | ProviderAnswer::Declined(_) => {
            Learnt::Step(Step::Voided)
        }
        // What was booked as reserved is what can be booked as taken.
        ProviderAnswer::Captured(found) if attempt.reserved.is_some_and(|it| it != found.money) => {
            Learnt::Alert(another_sum_taken(found.money))
        }
        ProviderAnswer::Captured(found) => {
            Learnt::Step(Step::Taken { reference: found.reference, taken: found.money })
        }
        ProviderAnswer::Authorised(_)
        | ProviderAnswer::Opened { .. }
        | ProviderAnswer::ActionRequired { .. } => match refusal {
            Some(failure) => Learnt::Alert(failure),
            None => Learnt::Step(erred(attempt)),
        },
        ProviderAnswer::NoSuchKey => not_there(refusal),
        ProviderAnswer::InProgress | ProviderAnswer::Erred(_) | ProviderAnswer::Unknown(_) => {
            Learnt::Wait
        }
    }
}

/// Why somebody should hear of a step, taken from this status; none for what happens every day.
#[must_use]
pub fn alert(from: AttemptStatus, step: &Step) -> Option<&'static str> {
    match step {
        Step::Mismatched { .. } => Some("mismatch"),
        Step::Taken { .. } => Some("taken_unasked"),
        Step::CaptureRefused(_) => Some("capture_refused"),
        Step::RefundFailed { .. } => Some("refund_failed"),
        Step::GivenUp(failure) if failure.code == UNKNOWN_TOO_LONG => Some(UNKNOWN_TOO_LONG),
        Step::Authorized { .. } => from.is_final().then_some("authorised_after_all"),
        Step::Opened { .. }
        | Step::Erred { .. }
        | Step::Unclear
        | Step::ActionRequired { .. }
        | Step::Declined(_)
        | Step::GivenUp(_)
        | Step::Captured
        | Step::GraceOver
        | Step::TicketsReturned
        | Step::LetGo { .. }
        | Step::Voided
        | Step::Refunded { .. }
        | Step::RefundRefused { .. } => None,
    }
}

/// The provider had an error of its own with this try.
#[must_use]
pub fn erred(attempt: &Attempt) -> Step {
    Step::Erred { errors: attempt.errors }
}

fn authorised(attempt: &Attempt, found: Authorisation) -> Step {
    let Authorisation { reference, order, money, lapses_at } = found;
    let differs = if order != attempt.order {
        "order"
    } else if money.currency != attempt.money.currency {
        "currency"
    } else if money.amount != attempt.money.amount {
        "amount"
    } else {
        return Step::Authorized { reference, lapses_at };
    };
    let why = format!("the provider's record has another {differs}");
    let failure = Failure::new("authorisation_mismatch", why);
    Step::Mismatched { reference, reserved: money, failure }
}

fn unclear(status: AttemptStatus) -> Learnt {
    if status == AttemptStatus::Pending { Learnt::Step(Step::Unclear) } else { Learnt::Wait }
}
