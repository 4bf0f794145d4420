//! One record of the provider's against ours of the same money: pure.

use std::cmp::Ordering;

use super::difference::{Difference, DifferenceKind};
use super::{AttemptStatus, Settlement};
use crate::moment::Moment;
use crate::money::Money;
use crate::payment::{ProviderRecord, UnreadableRecord};

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Something is on its way: no telling yet.
    InFlight,
    /// What differs; nothing, if both say the same.
    Told(Vec<Difference>),
}

/// Compares a record with the attempt that it names, if we have that one.
///
/// `now` is the run's beginning. What moved after `settled_by` is in flight, whoever says so; what is
/// under no attempt of ours never is: an intent is durable before the provider hears of it.
#[must_use]
pub fn compare(
    record: &ProviderRecord,
    ours: Option<&Settlement>,
    now: Moment,
    settled_by: Moment,
) -> Compared {
    let Some(ours) = ours else { return Compared::Told(nobodys(record, None, now)) };
    let is_new = record.created_at.is_some_and(|at| at > settled_by);
    if is_new || !ours.is_settled_since(settled_by) {
        return Compared::InFlight;
    }
    // A second record of one attempt: whatever is under it is not what we know of.
    if ours.is_under_another(record) || ours.status.has_come_to_nothing() {
        return Compared::Told(nobodys(record, Some(ours), now));
    }
    let mut told = Told { record, ours: Some(ours), differences: Vec::new() };
    match ours.status {
        AttemptStatus::Captured | AttemptStatus::Refunded if record.captured == 0 => {
            told.tell(
                DifferenceKind::MissingCapture,
                false,
                (ours.reserved, Some(record.with(0))),
                "we say that it was taken, the provider does not",
            );
        }
        AttemptStatus::Captured | AttemptStatus::Refunded => told.amounts(ours),
        AttemptStatus::Voided | AttemptStatus::CaptureFailed if record.kept() > 0 => {
            told.tell(
                DifferenceKind::UnaskedCapture,
                true,
                (ours.reserved.map(nothing_of), Some(record.with(record.kept()))),
                "the provider took it, and we say that it did not",
            );
        }
        AttemptStatus::Voided if record.is_still_reserved(now) => told.left(),
        // Whoever let the money go, and however, it is with its buyer.
        AttemptStatus::Voided | AttemptStatus::CaptureFailed => {}
        AttemptStatus::Declined | AttemptStatus::Failed => {
            unreachable!("what has come to nothing is nobody's")
        }
        AttemptStatus::Pending
        | AttemptStatus::RequiresAction
        | AttemptStatus::Verifying
        | AttemptStatus::Authorized
        | AttemptStatus::Confirmed
        | AttemptStatus::VoidDue
        | AttemptStatus::RefundDue
        | AttemptStatus::ReturnDue => unreachable!("what is not final is in flight"),
    }
    Compared::Told(told.differences)
}

/// What follows from the provider's never having shown this attempt.
#[must_use]
pub fn never_shown(ours: &Settlement) -> Difference {
    Difference {
        kind: DifferenceKind::MissingRecord,
        is_unsafe: false,
        attempt: Some(ours.attempt),
        order: Some(ours.order),
        reference: ours.reference.clone(),
        ours: ours.reserved,
        theirs: None,
        detail: format!("we say {}, and the provider has no record of it", ours.status.code()),
    }
}

/// What follows from a record in no money that we know. Somebody may have paid it.
#[must_use]
pub fn unreadable(record: &UnreadableRecord) -> Difference {
    Difference {
        kind: DifferenceKind::UnreadableRecord,
        is_unsafe: record.may_be_taken,
        attempt: record.attempt,
        order: record.order,
        reference: Some(record.reference.clone()),
        ours: None,
        theirs: None,
        detail: format!("the provider's record cannot be read: {}", record.says),
    }
}

/// Money that no attempt of ours stands for.
fn nobodys(record: &ProviderRecord, ours: Option<&Settlement>, now: Moment) -> Vec<Difference> {
    let mut told = Told { record, ours, differences: Vec::new() };
    if record.kept() > 0 {
        let detail = match ours {
            None => "the provider took it for no attempt of ours".to_owned(),
            Some(ours) if ours.status.has_come_to_nothing() => {
                format!("the provider took it, and our attempt is {}", ours.status.code())
            }
            Some(ours) => format!(
                "the provider took it beside {}, which is our attempt's",
                ours.reference.as_deref().unwrap_or("nothing")
            ),
        };
        let sides = (None, Some(record.with(record.kept())));
        told.tell(DifferenceKind::OrphanCharge, true, sides, detail);
    } else if record.is_still_reserved(now) {
        told.left();
    }
    told.differences
}

fn nothing_of(money: Money) -> Money {
    Money { amount: 0, ..money }
}

impl ProviderRecord {
    /// What was taken and is neither given nor, as far as the provider says, taken back.
    fn kept(&self) -> i64 {
        let charged_back = self.charged_back.unwrap_or_default();
        self.captured.saturating_sub(self.refunded).saturating_sub(charged_back)
    }

    fn is_still_reserved(&self, now: Moment) -> bool {
        self.is_reserved && self.lapses_at.is_none_or(|at| now < at)
    }

    fn with(&self, amount: i64) -> Money {
        Money { amount, ..self.money }
    }
}

struct Told<'a> {
    record: &'a ProviderRecord,
    ours: Option<&'a Settlement>,
    differences: Vec<Difference>,
}

impl Told<'_> {
    fn tell(
        &mut self,
        kind: DifferenceKind,
        is_unsafe: bool,
        (ours, theirs): (Option<Money>, Option<Money>),
        detail: impl Into<String>,
    ) {
        self.differences.push(Difference {
            kind,
            is_unsafe,
            attempt: self.record.attempt,
            order: self.ours.map(|ours| ours.order).or(self.record.order),
            reference: Some(self.record.reference.clone()),
            ours,
            theirs,
            detail: detail.into(),
        });
    }

    fn left(&mut self) {
        let why = match self.ours {
            None => "reserved for no attempt of ours".to_owned(),
            Some(ours) => format!("still reserved, and our attempt is {}", ours.status.code()),
        };
        self.tell(DifferenceKind::AuthorisationLeft, false, (None, Some(self.record.money)), why);
    }

    /// Of money that both say was taken.
    fn amounts(&mut self, ours: &Settlement) {
        let record = self.record;
        let Some(taken) = ours.reserved else { return };
        let theirs = record.with(record.captured);
        if taken.currency != theirs.currency {
            let sides = (Some(taken), Some(theirs));
            self.tell(DifferenceKind::CurrencyDiffers, true, sides, "taken in another currency");
            // In two currencies no other amount can be compared.
            return;
        }
        if taken.amount != theirs.amount {
            let sides = (Some(taken), Some(theirs));
            let detail = "another amount was taken than we say";
            self.tell(DifferenceKind::AmountDiffers, true, sides, detail);
        }
        if record.refunded != ours.refunded {
            let sides = (Some(record.with(ours.refunded)), Some(record.with(record.refunded)));
            let more = record.refunded > ours.refunded;
            let detail = if more { "more" } else { "less" };
            let detail = format!("{detail} was given back than we say");
            self.tell(DifferenceKind::RefundDiffers, more, sides, detail);
        }
        if let Some(charged_back) = record.charged_back {
            self.charge_backs(ours.charged_back, charged_back);
        }
    }

    /// What we booked, and what the provider says.
    fn charge_backs(&mut self, booked: i64, told: i64) {
        let (kind, detail) = match told.cmp(&booked) {
            Ordering::Equal => return,
            Ordering::Greater => (
                DifferenceKind::ChargedBackUnbooked,
                "the buyer's bank took back more than is booked",
            ),
            Ordering::Less => (
                DifferenceKind::ChargedBackOverbooked,
                "the buyer's bank took back less than is booked",
            ),
        };
        let sides = (Some(self.record.with(booked)), Some(self.record.with(told)));
        self.tell(kind, false, sides, detail);
    }
}
