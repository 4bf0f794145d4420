//! A payment attempt and the one table of its steps.

use crate::buyer::BuyerId;
use crate::hold::Fingerprint;
use crate::id::{AttemptId, OrderId};
use crate::moment::Moment;
use crate::money::Money;

/// Where an attempt stands. `Confirmed` and `VoidDue` are the event's word on an authorised one, and
/// only its lane writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttemptStatus {
    /// The intent is recorded; the provider is being asked.
    Pending,
    /// The provider's answer did not come: it is asked what became of the key.
    Verifying,
    /// The money is reserved; the event is being asked for the seats.
    Authorized,
    /// The seats are sold: capture.
    Confirmed,
    /// The seats are not to be had: void.
    VoidDue,
    /// The money is taken. Final.
    Captured,
    /// The provider said no. Final.
    Declined,
    /// The reserved money is free again. Final.
    Voided,
    /// It came to nothing at the provider. Final.
    Failed,
}

impl AttemptStatus {
    /// Every status.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Verifying,
        Self::Authorized,
        Self::Confirmed,
        Self::VoidDue,
        Self::Captured,
        Self::Declined,
        Self::Voided,
        Self::Failed,
    ];

    /// The name in the database.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Verifying => "verifying",
            Self::Authorized => "authorized",
            Self::Confirmed => "confirmed",
            Self::VoidDue => "void_due",
            Self::Captured => "captured",
            Self::Declined => "declined",
            Self::Voided => "voided",
            Self::Failed => "failed",
        }
    }

    /// The name that buyers see: what the event says of an authorised attempt is not shown before
    /// the money has followed.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Confirmed | Self::VoidDue => Self::Authorized.code(),
            Self::Pending
            | Self::Verifying
            | Self::Authorized
            | Self::Captured
            | Self::Declined
            | Self::Voided
            | Self::Failed => self.code(),
        }
    }

    /// The status of this name.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.code() == code)
    }

    /// Whether the attempt stands in the way of another one of its order.
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::Verifying | Self::Authorized => true,
            Self::Confirmed
            | Self::VoidDue
            | Self::Captured
            | Self::Declined
            | Self::Voided
            | Self::Failed => false,
        }
    }

    /// Whether nothing more can become of it.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Captured | Self::Declined | Self::Voided | Self::Failed => true,
            Self::Pending
            | Self::Verifying
            | Self::Authorized
            | Self::Confirmed
            | Self::VoidDue => false,
        }
    }
}

/// Why an attempt brought no money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The provider's code.
    pub code: String,
    /// In words.
    pub detail: String,
}

/// What the workflow learnt, and records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The provider's answer did not come in time.
    Unclear,
    /// The provider's own record says that the money is reserved under this reference.
    Authorized {
        /// The provider's name for it.
        reference: String,
    },
    /// The provider's record does not match the order, its amount or currency: it must go back.
    Mismatched {
        /// The provider's name for it.
        reference: String,
        /// What does not match.
        failure: Failure,
    },
    /// The provider said no.
    Declined(Failure),
    /// The capture is done.
    Captured,
    /// The void is done.
    Voided,
}

/// A step without what it carries, for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// [`Step::Unclear`]
    Unclear,
    /// [`Step::Authorized`]
    Authorized,
    /// [`Step::Mismatched`]
    Mismatched,
    /// [`Step::Declined`]
    Declined,
    /// [`Step::Captured`]
    Captured,
    /// [`Step::Voided`]
    Voided,
}

impl Step {
    /// Which step it is.
    #[must_use]
    pub fn kind(&self) -> StepKind {
        match self {
            Self::Unclear => StepKind::Unclear,
            Self::Authorized { .. } => StepKind::Authorized,
            Self::Mismatched { .. } => StepKind::Mismatched,
            Self::Declined(_) => StepKind::Declined,
            Self::Captured => StepKind::Captured,
            Self::Voided => StepKind::Voided,
        }
    }

    /// The statuses from which the step may be taken, and where it leads.
    pub fn moves(&self) -> impl Iterator<Item = (AttemptStatus, AttemptStatus)> + use<> {
        let kind = self.kind();
        STEPS.iter().filter(move |(_, step, _)| *step == kind).map(|(from, _, to)| (*from, *to))
    }
}

/// Every step that the workflow may take. The event's lane adds two of its own: from `authorized` to
/// `confirmed` or to `void_due`.
pub const STEPS: &[(AttemptStatus, StepKind, AttemptStatus)] = &[
    (AttemptStatus::Pending, StepKind::Unclear, AttemptStatus::Verifying),
    (AttemptStatus::Pending, StepKind::Authorized, AttemptStatus::Authorized),
    (AttemptStatus::Verifying, StepKind::Authorized, AttemptStatus::Authorized),
    (AttemptStatus::Pending, StepKind::Mismatched, AttemptStatus::VoidDue),
    (AttemptStatus::Verifying, StepKind::Mismatched, AttemptStatus::VoidDue),
    (AttemptStatus::Pending, StepKind::Declined, AttemptStatus::Declined),
    (AttemptStatus::Verifying, StepKind::Declined, AttemptStatus::Declined),
    (AttemptStatus::Confirmed, StepKind::Captured, AttemptStatus::Captured),
    (AttemptStatus::VoidDue, StepKind::Voided, AttemptStatus::Voided),
];

/// One try to pay an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Also its idempotency key at the provider.
    pub id: AttemptId,
    /// What is paid for.
    pub order: OrderId,
    /// Who pays.
    pub buyer: BuyerId,
    /// Of the request that opened it.
    pub fingerprint: Fingerprint,
    /// The provider's token, as the buyer sent it.
    pub method: String,
    /// The provider's name.
    pub provider: String,
    /// How much: the order's total.
    pub money: Money,
    /// Where it stands.
    pub status: AttemptStatus,
    /// The provider's name for the authorisation, once there is one.
    pub reference: Option<String>,
    /// Why it brought no money.
    pub failure: Option<Failure>,
    /// When the intent was recorded.
    pub created_at: Moment,
    /// When it came to its end.
    pub resolved_at: Option<Moment>,
}
