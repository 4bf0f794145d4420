//! What buyers are told an order is: one rule over what the lane and the money workflow wrote.
//!
//! Pure, and of the engine's words only. A hold that is over by the clock counts as over, whatever
//! has been written. Nothing that has come to its end moves again: once a hold is over no attempt is
//! opened, and of the open ones each ends on its own.

use taquilla_engine::order::OrderStatus;
use taquilla_engine::payment::AttemptStatus;

/// An order's status as buyers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublicStatus {
    /// May be paid.
    PendingPayment,
    /// An attempt is on its way.
    Authorizing,
    /// An attempt is on its way, and the provider is being asked what became of it.
    Verifying,
    /// The seats are the buyer's; the money is being taken.
    Confirmed,
    /// The money is taken, or there was none to take.
    Captured,
    /// The last attempt brought nothing; another may be made while the hold lives.
    Declined,
    /// The hold ended first, and no money moved.
    Expired,
    /// The buyer gave it up.
    Cancelled,
    /// The hold ended first, and reserved money is free again.
    Voided,
}

/// What the status is derived from.
#[derive(Clone, Copy, Debug)]
pub struct OrderState<'a> {
    /// As its row says.
    pub status: OrderStatus,
    /// Whether there is nothing to pay.
    pub free: bool,
    /// Whether its hold has ended, by row or by clock.
    pub hold_over: bool,
    /// Of every attempt, oldest first.
    pub attempts: &'a [AttemptStatus],
}

impl PublicStatus {
    /// Every status.
    pub const ALL: [PublicStatus; 9] = [
        PublicStatus::PendingPayment,
        PublicStatus::Authorizing,
        PublicStatus::Verifying,
        PublicStatus::Confirmed,
        PublicStatus::Captured,
        PublicStatus::Declined,
        PublicStatus::Expired,
        PublicStatus::Cancelled,
        PublicStatus::Voided,
    ];

    /// The status as buyers see it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            PublicStatus::PendingPayment => "pending_payment",
            PublicStatus::Authorizing => "authorizing",
            PublicStatus::Verifying => "verifying",
            PublicStatus::Confirmed => "confirmed",
            PublicStatus::Captured => "captured",
            PublicStatus::Declined => "declined",
            PublicStatus::Expired => "expired",
            PublicStatus::Cancelled => "cancelled",
            PublicStatus::Voided => "voided",
        }
    }

    /// The status of an order in this state.
    #[must_use]
    pub fn of(order: OrderState<'_>) -> PublicStatus {
        match order.status {
            OrderStatus::Cancelled => PublicStatus::Cancelled,
            OrderStatus::Confirmed => {
                if order.free || order.attempts.contains(&AttemptStatus::Captured) {
                    PublicStatus::Captured
                } else {
                    PublicStatus::Confirmed
                }
            }
            OrderStatus::Open if !order.hold_over => while_it_may_be_paid(order.attempts),
            OrderStatus::Open | OrderStatus::Expired => after_the_hold(order.attempts),
        }
    }
}

/// The latest attempt tells.
fn while_it_may_be_paid(attempts: &[AttemptStatus]) -> PublicStatus {
    match attempts.last() {
        None => PublicStatus::PendingPayment,
        Some(AttemptStatus::Verifying) => PublicStatus::Verifying,
        // Confirmed in the same commit as the order: an open order has no such attempt.
        Some(
            AttemptStatus::Pending
            | AttemptStatus::Authorized
            | AttemptStatus::Confirmed
            | AttemptStatus::Captured,
        ) => PublicStatus::Authorizing,
        Some(
            AttemptStatus::VoidDue
            | AttemptStatus::Voided
            | AttemptStatus::Declined
            | AttemptStatus::Failed,
        ) => PublicStatus::Declined,
    }
}

/// What is still on its way comes first, then whether money moved.
fn after_the_hold(attempts: &[AttemptStatus]) -> PublicStatus {
    let any = |wanted: &[AttemptStatus]| attempts.iter().any(|status| wanted.contains(status));
    if any(&[AttemptStatus::Verifying]) {
        PublicStatus::Verifying
    } else if any(&[
        AttemptStatus::Pending,
        AttemptStatus::Authorized,
        AttemptStatus::Confirmed,
        AttemptStatus::Captured,
        AttemptStatus::VoidDue,
    ]) {
        PublicStatus::Authorizing
    } else if any(&[AttemptStatus::Voided]) {
        PublicStatus::Voided
    } else {
        PublicStatus::Expired
    }
}
