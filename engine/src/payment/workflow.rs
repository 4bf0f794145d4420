//! What an attempt needs next, and what an answer teaches. Pure; the runner that calls providers is
//! in `runtime`. Every task may be done again after a crash: the attempt's status says which is due.

use super::{Attempt, AttemptStatus, Failure, ProviderAnswer, Step};

/// What is to be done for an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Ask the provider for the money.
    Authorise,
    /// Ask the provider what became of the key.
    Find,
    /// Ask the event for the seats.
    AskForSeats,
    /// Take the money.
    Capture,
    /// Give it back.
    Void,
    /// Nothing: it has come to its end.
    Rest,
}

/// What a provider's answer means for the attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Learnt {
    /// Record this.
    Step(Step),
    /// The provider knows nothing of the key, so asking for the money under it is safe.
    Authorise,
    /// Nothing yet: ask again later.
    Wait,
}

/// What the attempt needs next. A pending attempt of an earlier process may have reached the provider:
/// it is asked for by its key first.
#[must_use]
pub fn next(status: AttemptStatus, resumed: bool) -> Task {
    match status {
        AttemptStatus::Pending if resumed => Task::Find,
        AttemptStatus::Pending => Task::Authorise,
        AttemptStatus::Verifying => Task::Find,
        AttemptStatus::Authorized => Task::AskForSeats,
        AttemptStatus::Confirmed => Task::Capture,
        AttemptStatus::VoidDue => Task::Void,
        AttemptStatus::Captured
        | AttemptStatus::Declined
        | AttemptStatus::Voided
        | AttemptStatus::Failed => Task::Rest,
    }
}

/// What the answer to [`Task::Authorise`] or [`Task::Find`] means. Only the provider's own record,
/// matching order, amount and currency, is a definite yes.
#[must_use]
pub fn learn(attempt: &Attempt, answer: ProviderAnswer) -> Learnt {
    match answer {
        ProviderAnswer::Authorised(found) => {
            let reference = found.reference;
            let differs = if found.order != attempt.order {
                Some("order")
            } else if found.money.currency != attempt.money.currency {
                Some("currency")
            } else if found.money.amount != attempt.money.amount {
                Some("amount")
            } else {
                None
            };
            Learnt::Step(match differs {
                None => Step::Authorized { reference },
                Some(what) => Step::Mismatched {
                    reference,
                    failure: Failure {
                        code: "authorisation_mismatch".into(),
                        detail: format!("the provider's record has another {what}"),
                    },
                },
            })
        }
        ProviderAnswer::Declined(failure) => Learnt::Step(Step::Declined(failure)),
        ProviderAnswer::NoSuchKey => Learnt::Authorise,
        ProviderAnswer::InProgress | ProviderAnswer::Unknown(_) => match attempt.status {
            AttemptStatus::Pending => Learnt::Step(Step::Unclear),
            AttemptStatus::Verifying
            | AttemptStatus::Authorized
            | AttemptStatus::Confirmed
            | AttemptStatus::VoidDue
            | AttemptStatus::Captured
            | AttemptStatus::Declined
            | AttemptStatus::Voided
            | AttemptStatus::Failed => Learnt::Wait,
        },
    }
}
