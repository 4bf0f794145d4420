//! How often each kind of answer came.

use std::collections::BTreeMap;
use std::fmt;

use taquilla_auditor::oracle::{Asked, Change, HoldState, Question, Refusal, Reply, Told};
use taquilla_engine::answer::Unanswered;

/// Counts, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    counts: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// How often this was counted.
    #[must_use]
    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    pub(super) fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    pub(super) fn add_times(&mut self, what: &'static str, times: usize) {
        *self.counts.entry(what).or_default() += times as u64;
    }

    pub(super) fn reply(&mut self, question: &Question, reply: &Reply) {
        let what = match &reply.told {
            _ if reply.replayed => "replayed",
            Told::Refunded(shown) if shown.amount == 0 => "returned, free",
            Told::Refunded(_) => "returned",
            Told::Operated(_) => operated(&question.asked),
            Told::Hold(shown) => match question.asked {
                Asked::Place { .. } if shown.declined.quantity() > 0 => "granted in part",
                Asked::Place { .. } if shown.split.is_some() => "granted by choice",
                Asked::Place { .. } => "granted",
                Asked::GiveBack { .. } => "reduced",
                Asked::Release { .. }
                | Asked::Order { .. }
                | Asked::Cancel { .. }
                | Asked::Confirm { .. }
                | Asked::Read { .. }
                | Asked::List
                | Asked::Refund(_)
                | Asked::Operate { .. } => match shown.status {
                    HoldState::Expired => "read, expired",
                    HoldState::Active | HoldState::Released | HoldState::Converted => "read",
                },
            },
            Told::Holds(_) => "listed",
            Told::Released => "released",
            Told::Order(shown) if shown.created && shown.total == 0 => "ordered, free",
            Told::Order(shown) if shown.created => "ordered",
            Told::Order(_) => "ordered before",
            Told::Verdict(true) => "confirmed",
            Told::Verdict(false) => "void due",
            Told::Refused(refusal) => refused(refusal),
        };
        self.count(what);
    }

    pub(super) fn unanswered(&mut self, why: &Unanswered) {
        self.count(match why {
            Unanswered::Overloaded => "overloaded",
            Unanswered::LineFull => "line-full",
            Unanswered::HoldsFull => "holds-full",
            Unanswered::KeyInUse => "key in use",
            Unanswered::OutcomeUnknown => "outcome-unknown",
            Unanswered::PurchasesPaused(_) => "purchases-paused, no decision",
            Unanswered::Quarantined(_) => "quarantined",
            Unanswered::Broken => "internal-error",
        });
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (what, count) in &other.counts {
            *self.counts.entry(what).or_default() += count;
        }
    }
}

fn operated(asked: &Asked) -> &'static str {
    match asked {
        Asked::Operate { change, .. } => match change {
            Change::Blocks { .. } => "seats blocked or unblocked",
            Change::Open | Change::Pause | Change::Resume | Change::Close => "sale acted on",
            Change::Amend(amendment) if amendment.capacities.is_empty() => "terms amended",
            Change::Amend(_) => "capacities set",
        },
        Asked::Place { .. }
        | Asked::Release { .. }
        | Asked::GiveBack { .. }
        | Asked::Order { .. }
        | Asked::Cancel { .. }
        | Asked::Confirm { .. }
        | Asked::Read { .. }
        | Asked::List
        | Asked::Refund(_) => "operated unasked",
    }
}

fn refused(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NotFound => "not-found",
        Refusal::KeyReused => "idempotency-key-reused",
        Refusal::UnknownSeats(_)
        | Refusal::PartTooLarge { .. }
        | Refusal::UnknownTickets(_)
        | Refusal::TermsInvalid(_) => "malformed-request",
        Refusal::PurchasesPaused => "purchases-paused",
        Refusal::ConflictsWithSales(_) => "conflicts-with-sales",
        Refusal::SaleNotOpen { .. } => "sale-not-open",
        Refusal::AdmissionRequired => "admission-required",
        Refusal::HoldNotActive(_) => "hold-not-active",
        Refusal::RefundNotPossible => "refund-not-possible",
        Refusal::OrderNotCancellable => "order-not-cancellable",
        Refusal::BuyerLimitExceeded { .. } => "buyer-limit-exceeded",
        Refusal::SeatsUnavailable { .. } => "seats-unavailable",
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (what, count)) in self.counts.iter().enumerate() {
            let before = if place == 0 { "" } else { "\n" };
            write!(f, "{before}{count:>9} {what}")?;
        }
        Ok(())
    }
}
