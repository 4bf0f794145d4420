//! The one table of the steps that an attempt may take.

use std::time::Duration;

use super::attempt::{AttemptStatus, Failure, NextAction};
use crate::moment::Moment;
use crate::money::Money;

/// What the workflow learnt, and records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The provider has a record of it under this reference; nothing is reserved yet.
    Opened {
        /// The provider's name for it.
        reference: String,
    },
    /// The provider answered with an error of its own. The next try has another key.
    Erred {
        /// After how many it was asked. One error is counted once, whoever else heard of it.
        errors: u32,
    },
    /// The provider's answer did not come in time.
    Unclear,
    /// The buyer has to do something first.
    ActionRequired {
        /// The provider's name for it.
        reference: String,
        /// What.
        action: NextAction,
    },
    /// The provider's own record says that the money is reserved under this reference.
    Authorized {
        /// The provider's name for it.
        reference: String,
        /// When the provider lets it go by itself, if it says so.
        lapses_at: Option<Moment>,
    },
    /// Money is reserved that does not match the order, its amount or currency: it must go back.
    Mismatched {
        /// The provider's name for it.
        reference: String,
        /// What is reserved.
        reserved: Money,
        /// What does not match.
        failure: Failure,
    },
    /// The money was taken, and nobody had asked for that: it must go back.
    Taken {
        /// The provider's name for it.
        reference: String,
        /// What was taken.
        taken: Money,
    },
    /// The provider said no.
    Declined(Failure),
    /// It comes to nothing, and why.
    GivenUp(Failure),
    /// The capture is done.
    Captured,
    /// The provider will not capture, and why.
    CaptureRefused(Failure),
    /// Nobody has settled a capture that was refused.
    GraceOver,
    /// None of the order's tickets is valid any more.
    TicketsReturned,
    /// Money had been reserved, and has been let go before it was known of.
    LetGo {
        /// The provider's name for it.
        reference: String,
        /// What had been reserved.
        was_reserved: Money,
    },
    /// The void is done.
    Voided,
    /// What was taken has been given back.
    Refunded {
        /// After how many errors it was asked for: another payment is another try's.
        errors: u32,
    },
    /// The provider does not give it back.
    RefundRefused {
        /// After how many errors it was asked for.
        errors: u32,
        /// For so long nobody asks again.
        again_after: Duration,
    },
    /// What was given back has come back to us.
    RefundFailed {
        /// After how many errors it had been given back.
        errors: u32,
        /// For so long nobody gives it back anew.
        again_after: Duration,
    },
}

/// A step without what it carries, for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the step of its name")]
pub enum StepKind {
    Opened,
    Erred,
    Unclear,
    ActionRequired,
    Authorized,
    Mismatched,
    Taken,
    Declined,
    GivenUp,
    Captured,
    CaptureRefused,
    GraceOver,
    TicketsReturned,
    LetGo,
    Voided,
    Refunded,
    RefundRefused,
    RefundFailed,
}

impl StepKind {
    /// Every kind.
    pub const ALL: [Self; 18] = [
        Self::Opened,
        Self::Erred,
        Self::Unclear,
        Self::ActionRequired,
        Self::Authorized,
        Self::Mismatched,
        Self::Taken,
        Self::Declined,
        Self::GivenUp,
        Self::Captured,
        Self::CaptureRefused,
        Self::GraceOver,
        Self::TicketsReturned,
        Self::LetGo,
        Self::Voided,
        Self::Refunded,
        Self::RefundRefused,
        Self::RefundFailed,
    ];
}

impl Step {
    /// Which step it is.
    #[must_use]
    pub fn kind(&self) -> StepKind {
        match self {
            Self::Opened { .. } => StepKind::Opened,
            Self::Erred { .. } => StepKind::Erred,
            Self::Unclear => StepKind::Unclear,
            Self::ActionRequired { .. } => StepKind::ActionRequired,
            Self::Authorized { .. } => StepKind::Authorized,
            Self::Mismatched { .. } => StepKind::Mismatched,
            Self::Taken { .. } => StepKind::Taken,
            Self::Declined(_) => StepKind::Declined,
            Self::GivenUp(_) => StepKind::GivenUp,
            Self::Captured => StepKind::Captured,
            Self::CaptureRefused(_) => StepKind::CaptureRefused,
            Self::GraceOver => StepKind::GraceOver,
            Self::TicketsReturned => StepKind::TicketsReturned,
            Self::LetGo { .. } => StepKind::LetGo,
            Self::Voided => StepKind::Voided,
            Self::Refunded { .. } => StepKind::Refunded,
            Self::RefundRefused { .. } => StepKind::RefundRefused,
            Self::RefundFailed { .. } => StepKind::RefundFailed,
        }
    }

    /// The count of errors under which it was asked for, where it stands for that try alone: the step is
    /// taken of an attempt that still has this count, and of no other.
    #[must_use]
    pub fn asked_after(&self) -> Option<u32> {
        self.of_one_try().map(|(errors, _)| errors)
    }

    /// For how long nobody moves its money, from the step on.
    #[must_use]
    pub fn puts_off(&self) -> Option<Duration> {
        self.of_one_try().and_then(|(_, again_after)| again_after)
    }

    /// Of a step that stands for one try: after how many errors that was asked, and when the next may be.
    fn of_one_try(&self) -> Option<(u32, Option<Duration>)> {
        match self {
            Self::Erred { errors } | Self::Refunded { errors } => Some((*errors, None)),
            Self::RefundRefused { errors, again_after, .. }
            | Self::RefundFailed { errors, again_after, .. } => Some((*errors, Some(*again_after))),
            Self::Opened { .. }
            | Self::Unclear
            | Self::ActionRequired { .. }
            | Self::Authorized { .. }
            | Self::Mismatched { .. }
            | Self::Taken { .. }
            | Self::Declined(_)
            | Self::GivenUp(_)
            | Self::Captured
            | Self::CaptureRefused(_)
            | Self::GraceOver
            | Self::TicketsReturned
            | Self::LetGo { .. }
            | Self::Voided => None,
        }
    }

    /// The statuses from which the step may be taken, and where it leads.
    pub fn moves(&self) -> impl Iterator<Item = (AttemptStatus, AttemptStatus)> + use<> {
        let kind = self.kind();
        STEPS.iter().filter(move |(_, step, _)| *step == kind).map(|(from, _, to)| (*from, *to))
    }
}

/// Every step that the workflow may take. The event's lane adds two of its own: from `authorized` to
/// `confirmed` or to `void_due`. A step that the table does not have from where the attempt stands changes
/// nothing: news may come in any order, any number of times.
pub const STEPS: &[(AttemptStatus, StepKind, AttemptStatus)] = {
    use AttemptStatus as Is;
    use StepKind as Step;
    &[
        // The provider is asked for the money.
        (Is::Pending, Step::Opened, Is::Pending),
        (Is::Verifying, Step::Opened, Is::Verifying),
        (Is::Pending, Step::Erred, Is::Pending),
        (Is::Verifying, Step::Erred, Is::Verifying),
        (Is::RequiresAction, Step::Erred, Is::RequiresAction),
        (Is::Pending, Step::Unclear, Is::Verifying),
        (Is::Pending, Step::ActionRequired, Is::RequiresAction),
        (Is::Verifying, Step::ActionRequired, Is::RequiresAction),
        (Is::Pending, Step::Authorized, Is::Authorized),
        (Is::RequiresAction, Step::Authorized, Is::Authorized),
        (Is::Verifying, Step::Authorized, Is::Authorized),
        (Is::Pending, Step::Declined, Is::Declined),
        (Is::RequiresAction, Step::Declined, Is::Declined),
        (Is::Verifying, Step::Declined, Is::Declined),
        (Is::Pending, Step::GivenUp, Is::Failed),
        (Is::RequiresAction, Step::GivenUp, Is::Failed),
        (Is::Verifying, Step::GivenUp, Is::Failed),
        // Money that is not to be kept.
        (Is::Pending, Step::LetGo, Is::Voided),
        (Is::RequiresAction, Step::LetGo, Is::Voided),
        (Is::Verifying, Step::LetGo, Is::Voided),
        (Is::Pending, Step::Mismatched, Is::VoidDue),
        (Is::RequiresAction, Step::Mismatched, Is::VoidDue),
        (Is::Verifying, Step::Mismatched, Is::VoidDue),
        (Is::Pending, Step::Taken, Is::RefundDue),
        (Is::RequiresAction, Step::Taken, Is::RefundDue),
        (Is::Verifying, Step::Taken, Is::RefundDue),
        // Reserved after all, when another attempt may have paid already.
        (Is::Declined, Step::Authorized, Is::VoidDue),
        (Is::Failed, Step::Authorized, Is::VoidDue),
        (Is::Declined, Step::Mismatched, Is::VoidDue),
        (Is::Failed, Step::Mismatched, Is::VoidDue),
        (Is::Declined, Step::Taken, Is::RefundDue),
        (Is::Failed, Step::Taken, Is::RefundDue),
        // The seats are sold.
        (Is::Confirmed, Step::Erred, Is::Confirmed),
        (Is::Confirmed, Step::Captured, Is::Captured),
        (Is::Confirmed, Step::CaptureRefused, Is::CaptureFailed),
        (Is::CaptureFailed, Step::Captured, Is::Captured),
        (Is::CaptureFailed, Step::GraceOver, Is::ReturnDue),
        (Is::ReturnDue, Step::TicketsReturned, Is::VoidDue),
        // They are not to be had.
        (Is::VoidDue, Step::Erred, Is::VoidDue),
        (Is::VoidDue, Step::Voided, Is::Voided),
        (Is::VoidDue, Step::Taken, Is::RefundDue),
        (Is::RefundDue, Step::Erred, Is::RefundDue),
        (Is::RefundDue, Step::Refunded, Is::Refunded),
        (Is::RefundDue, Step::RefundRefused, Is::RefundDue),
        (Is::Refunded, Step::RefundFailed, Is::RefundDue),
    ]
};
