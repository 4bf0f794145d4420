//! What two records of the same money can disagree about.

use crate::id::{AttemptId, OrderId};
use crate::money::Money;

/// What is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// The provider has money under no attempt of ours, or under one that has come to nothing.
    OrphanCharge,
    /// We say that the money was taken, the provider does not.
    MissingCapture,
    /// The provider took money that we let go, or that its refusal had given up.
    UnaskedCapture,
    /// We say that money was reserved, and the provider has no record of it.
    MissingRecord,
    /// The same money, in another amount.
    AmountDiffers,
    /// The same money, in another currency.
    CurrencyDiffers,
    /// More or less was given back than we say.
    RefundDiffers,
    /// The provider keeps money reserved that nobody wants any more.
    AuthorisationLeft,
    /// A bank took back money, and we have not booked that.
    ChargedBackUnbooked,
    /// We have booked that a bank took back money, twice or what it has returned since.
    ChargedBackOverbooked,
    /// The provider has a record in no money that we know.
    UnreadableRecord,
}

impl DifferenceKind {
    /// Every kind, in the order of a report.
    pub const ALL: [Self; 11] = [
        Self::OrphanCharge,
        Self::UnaskedCapture,
        Self::AmountDiffers,
        Self::CurrencyDiffers,
        Self::RefundDiffers,
        Self::UnreadableRecord,
        Self::MissingCapture,
        Self::MissingRecord,
        Self::AuthorisationLeft,
        Self::ChargedBackUnbooked,
        Self::ChargedBackOverbooked,
    ];

    /// The name in reports and metrics.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::OrphanCharge => "orphan_charge",
            Self::MissingCapture => "missing_capture",
            Self::UnaskedCapture => "unasked_capture",
            Self::MissingRecord => "missing_record",
            Self::AmountDiffers => "amount_differs",
            Self::CurrencyDiffers => "currency_differs",
            Self::RefundDiffers => "refund_differs",
            Self::AuthorisationLeft => "authorisation_left",
            Self::ChargedBackUnbooked => "charged_back_unbooked",
            Self::ChargedBackOverbooked => "charged_back_overbooked",
            Self::UnreadableRecord => "unreadable_record",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What is different.
    pub kind: DifferenceKind,
    /// Whether a buyer's money could be wrong: taken, or given back, otherwise than we believe. Such a
    /// one closes new payments.
    pub is_unsafe: bool,
    /// The attempt that the record names, or ours that it lacks.
    pub attempt: Option<AttemptId>,
    /// Its order.
    pub order: Option<OrderId>,
    /// The provider's name for it.
    pub reference: Option<String>,
    /// What we say; none where we know nothing of it.
    pub ours: Option<Money>,
    /// What the provider says; none where it has no record.
    pub theirs: Option<Money>,
    /// What is so, in words.
    pub detail: String,
}
