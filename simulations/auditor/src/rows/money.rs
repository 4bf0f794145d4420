//! Rows of money: attempts, refunds, the ledger, and what the provider told.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{AttemptStatus, Cause, RefundStatus};

/// A payment attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Its id.
    pub id: Uuid,
    /// What it pays for.
    pub order: Uuid,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// How it stands.
    pub status: AttemptStatus,
    /// The provider's name for its authorisation.
    pub reference: Option<String>,
}

impl Attempt {
    /// Whether nothing more can become of it.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self.status {
            AttemptStatus::Captured
            | AttemptStatus::Declined
            | AttemptStatus::Voided
            | AttemptStatus::Refunded
            | AttemptStatus::Failed => true,
            AttemptStatus::Pending
            | AttemptStatus::RequiresAction
            | AttemptStatus::Verifying
            | AttemptStatus::Authorized
            | AttemptStatus::Confirmed
            | AttemptStatus::VoidDue
            | AttemptStatus::RefundDue
            | AttemptStatus::CaptureFailed
            | AttemptStatus::ReturnDue => false,
        }
    }

    /// Whether nothing more becomes of it by itself for now: a capture that was refused waits for somebody
    /// to settle it.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.is_final() || self.status == AttemptStatus::CaptureFailed
    }

    /// Whether it brought, or is bringing, the money of a sale.
    #[must_use]
    pub fn is_sale(&self) -> bool {
        match self.status {
            AttemptStatus::Confirmed
            | AttemptStatus::CaptureFailed
            | AttemptStatus::ReturnDue
            | AttemptStatus::Captured => true,
            AttemptStatus::Pending
            | AttemptStatus::RequiresAction
            | AttemptStatus::Verifying
            | AttemptStatus::Authorized
            | AttemptStatus::VoidDue
            | AttemptStatus::RefundDue
            | AttemptStatus::Declined
            | AttemptStatus::Voided
            | AttemptStatus::Refunded
            | AttemptStatus::Failed => false,
        }
    }
}

/// Tickets that came back together.
#[derive(Debug, Clone)]
pub struct Refund {
    /// Its name, here and at the provider.
    pub id: Uuid,
    /// Whose tickets.
    pub order: Uuid,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// Which came back.
    pub tickets: Vec<Uuid>,
    /// Why.
    pub cause: Cause,
    /// How it stands.
    pub status: RefundStatus,
    /// Since when the tickets are void, and their seats for sale, or blocked where the event is cancelled.
    pub created_at: DateTime<Utc>,
}

impl Refund {
    /// Whether the tickets' share of the total is the buyer's again: not where it was never taken, and not
    /// where the bank has given it back.
    #[must_use]
    pub fn is_owed(&self) -> bool {
        match self.cause {
            Cause::Refund | Cause::Cancellation => true,
            Cause::CaptureFailed | Cause::Chargeback => false,
        }
    }
}

/// What a movement of money added to one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// Whose money.
    pub attempt: Uuid,
    /// What it paid for.
    pub order: Uuid,
    /// `authorisation`, `capture`, `void`, `refund`, `fee` or `chargeback`.
    pub kind: String,
    /// Empty for what happens to an attempt once, else the refund's or the notice's; behind a `/` which
    /// time, where a refund came back.
    pub name: String,
    /// Which account.
    pub account: String,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
}

impl Posting {
    /// Of a chargeback the half that is the provider's.
    #[must_use]
    pub fn is_charge_back_by_provider(&self) -> bool {
        self.kind == "chargeback" && self.account == "provider"
    }
}

/// What the provider told by itself.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The provider's name for it.
    pub id: String,
    /// `news`, `charged_back`, `reinstated`, `refund_failed` or `other`.
    pub kind: String,
    /// What it is about.
    pub attempt: Option<Uuid>,
    /// Whether everything that it tells of has been looked into.
    pub is_settled: bool,
}
