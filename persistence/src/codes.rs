//! States as the small numbers that rows hold. What each means is written at its table.

use taquilla_engine::hold::HoldStatus;
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::payment::AttemptStatus;

/// `holds.status`.
pub(crate) fn of_hold_status(status: HoldStatus) -> i16 {
    match status {
        HoldStatus::Active => 0,
        HoldStatus::Released => 1,
        HoldStatus::Expired => 2,
        HoldStatus::Converted => 3,
    }
}

/// The reverse of [`of_hold_status`].
pub(crate) fn hold_status(code: i16) -> Option<HoldStatus> {
    use HoldStatus::{Active, Converted, Expired, Released};
    [Active, Released, Expired, Converted].into_iter().find(|it| of_hold_status(*it) == code)
}

/// A hold's status by the word that buyers see, as receipts keep it.
pub(crate) fn hold_status_by_word(word: &str) -> Option<HoldStatus> {
    (0..=3).filter_map(hold_status).find(|status| status.code() == word)
}

/// `orders.status`.
pub(crate) fn of_order_status(status: OrderStatus) -> i16 {
    match status {
        OrderStatus::Open => 0,
        OrderStatus::Confirmed => 1,
        OrderStatus::Cancelled => 2,
        OrderStatus::Expired => 3,
    }
}

/// The reverse of [`of_order_status`].
pub(crate) fn order_status(code: i16) -> Option<OrderStatus> {
    use OrderStatus::{Cancelled, Confirmed, Expired, Open};
    [Open, Confirmed, Cancelled, Expired].into_iter().find(|it| of_order_status(*it) == code)
}

/// `tickets.status` of one that is issued; it may come back in the very batch.
pub(crate) fn of_new_ticket(is_void: bool) -> i16 {
    i16::from(is_void)
}

/// `payment_attempts.status` as the lane writes it.
pub(crate) fn of_verdict(verdict: Verdict) -> &'static str {
    let status = match verdict {
        Verdict::Confirmed => AttemptStatus::Confirmed,
        Verdict::VoidDue => AttemptStatus::VoidDue,
    };
    status.code()
}

/// What is decided about an attempt that has this status, by the lane or, where what the provider
/// authorised was not what was asked for, by the workflow; money may have moved since.
pub(crate) fn verdict(status: &str) -> Option<Verdict> {
    match AttemptStatus::parse(status)? {
        AttemptStatus::Confirmed | AttemptStatus::CaptureFailed | AttemptStatus::Captured => {
            Some(Verdict::Confirmed)
        }
        AttemptStatus::VoidDue
        | AttemptStatus::Voided
        | AttemptStatus::RefundDue
        | AttemptStatus::Refunded => Some(Verdict::VoidDue),
        AttemptStatus::Pending
        | AttemptStatus::RequiresAction
        | AttemptStatus::Verifying
        | AttemptStatus::Authorized
        | AttemptStatus::Declined
        | AttemptStatus::Failed => None,
    }
}
