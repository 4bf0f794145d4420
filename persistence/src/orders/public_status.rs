//! What buyers are told an order is: one rule over what the lane and the money workflow wrote.
//!
//! Pure, and of the engine's words only. A hold that is over by the clock counts as over, whatever
//! has been written. Once a hold is over no attempt is opened, and of the open ones each ends on its own;
//! what has ended moves again only by late news of the provider's, or because tickets come back.

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
    /// Money that was taken has been given back.
    Refunded,
    /// The seats are sold, and the provider did not take the money.
    CaptureFailed,
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
    /// Whether all its tickets came back, and nothing is owed for them any more.
    pub given_back: bool,
}

impl PublicStatus {
    /// Every status.
    pub const ALL: [PublicStatus; 11] = [
        PublicStatus::PendingPayment,
        PublicStatus::Authorizing,
        PublicStatus::Verifying,
        PublicStatus::Confirmed,
        PublicStatus::Captured,
        PublicStatus::Declined,
        PublicStatus::Expired,
        PublicStatus::Cancelled,
        PublicStatus::Voided,
        PublicStatus::Refunded,
        PublicStatus::CaptureFailed,
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
            PublicStatus::Refunded => "refunded",
            PublicStatus::CaptureFailed => "capture_failed",
        }
    }

    /// The status of an order in this state.
    #[must_use]
    pub fn of(order: OrderState<'_>) -> PublicStatus {
        match order.status {
            OrderStatus::Cancelled => PublicStatus::Cancelled,
            OrderStatus::Confirmed if order.given_back => PublicStatus::Refunded,
            OrderStatus::Confirmed if order.free => PublicStatus::Captured,
            OrderStatus::Confirmed => once_sold(order.attempts),
            OrderStatus::Open if !order.hold_over => while_it_may_be_paid(order.attempts),
            OrderStatus::Open | OrderStatus::Expired => after_the_hold(order.attempts),
        }
    }
}

/// A sale has one attempt that pays for it. Where there is none any more, its money was never to be had.
fn once_sold(attempts: &[AttemptStatus]) -> PublicStatus {
    if attempts.contains(&AttemptStatus::Captured) {
        PublicStatus::Captured
    } else if attempts.contains(&AttemptStatus::Confirmed) {
        PublicStatus::Confirmed
    } else {
        PublicStatus::CaptureFailed
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
            | AttemptStatus::RequiresAction
            | AttemptStatus::Authorized
            | AttemptStatus::Confirmed
            | AttemptStatus::CaptureFailed
            | AttemptStatus::Captured,
        ) => PublicStatus::Authorizing,
        Some(
            AttemptStatus::VoidDue
            | AttemptStatus::RefundDue
            | AttemptStatus::Voided
            | AttemptStatus::Refunded
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
        AttemptStatus::RequiresAction,
        AttemptStatus::Authorized,
        AttemptStatus::Confirmed,
        AttemptStatus::CaptureFailed,
        AttemptStatus::Captured,
        AttemptStatus::VoidDue,
        AttemptStatus::RefundDue,
    ]) {
        PublicStatus::Authorizing
    } else if any(&[AttemptStatus::Refunded]) {
        PublicStatus::Refunded
    } else if any(&[AttemptStatus::Voided]) {
        PublicStatus::Voided
    } else {
        PublicStatus::Expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line is a list of attempts, oldest first; a column is an order's row and its hold.
    const TABLE: &str = "
        attempts           | open, hold alive | open or expired, hold over | confirmed      | cancelled
        -                  | pending_payment  | expired                    | capture_failed | cancelled
        pending            | authorizing      | authorizing                | capture_failed | cancelled
        requires_action    | authorizing      | authorizing                | capture_failed | cancelled
        verifying          | verifying        | verifying                  | capture_failed | cancelled
        authorized         | authorizing      | authorizing                | capture_failed | cancelled
        confirmed          | authorizing      | authorizing                | confirmed      | cancelled
        capture_failed     | authorizing      | authorizing                | capture_failed | cancelled
        captured           | authorizing      | authorizing                | captured       | cancelled
        void_due           | declined         | authorizing                | capture_failed | cancelled
        refund_due         | declined         | authorizing                | capture_failed | cancelled
        voided             | declined         | voided                     | capture_failed | cancelled
        refunded           | declined         | refunded                   | capture_failed | cancelled
        declined           | declined         | expired                    | capture_failed | cancelled
        failed             | declined         | expired                    | capture_failed | cancelled
        declined pending   | authorizing      | authorizing                | capture_failed | cancelled
        declined verifying | verifying        | verifying                  | capture_failed | cancelled
        declined confirmed | authorizing      | authorizing                | confirmed      | cancelled
        declined captured  | authorizing      | authorizing                | captured       | cancelled
        captured voided    | declined         | authorizing                | captured       | cancelled
        captured refunded  | declined         | authorizing                | captured       | cancelled
        confirmed void_due | declined         | authorizing                | confirmed      | cancelled
        declined voided    | declined         | voided                     | capture_failed | cancelled
        voided declined    | declined         | voided                     | capture_failed | cancelled
        voided pending     | authorizing      | authorizing                | capture_failed | cancelled
        refunded voided    | declined         | refunded                   | capture_failed | cancelled
        void_due pending   | authorizing      | authorizing                | capture_failed | cancelled
        void_due verifying | verifying        | verifying                  | capture_failed | cancelled
        void_due declined  | declined         | authorizing                | capture_failed | cancelled
        failed declined    | declined         | expired                    | capture_failed | cancelled
    ";

    fn rows() -> impl Iterator<Item = (Vec<AttemptStatus>, [&'static str; 4])> {
        let lines = TABLE.lines().map(str::trim).filter(|line| !line.is_empty()).skip(1);
        lines.map(|line| {
            let mut cells = line.split('|').map(str::trim);
            let attempts = cells.next().expect("a list").split(' ').filter(|word| *word != "-");
            let attempts = attempts.map(|code| AttemptStatus::parse(code).expect("a status"));
            let attempts = attempts.collect();
            (attempts, std::array::from_fn(|_| cells.next().expect("a status")))
        })
    }

    fn check(status: OrderStatus, free: bool, over: bool, attempts: &[AttemptStatus], told: &str) {
        let state = OrderState { status, free, hold_over: over, attempts, given_back: false };
        assert_eq!(PublicStatus::of(state).code(), told, "{state:?}");
    }

    #[test]
    fn an_order_is_what_its_row_its_hold_and_its_attempts_make_it() {
        for (attempts, [alive, over, confirmed, cancelled]) in rows() {
            for free in [false, true] {
                let confirmed = if free { "captured" } else { confirmed };
                check(OrderStatus::Open, free, false, &attempts, alive);
                check(OrderStatus::Open, free, true, &attempts, over);
                for hold_over in [false, true] {
                    check(OrderStatus::Expired, free, hold_over, &attempts, over);
                    check(OrderStatus::Confirmed, free, hold_over, &attempts, confirmed);
                    check(OrderStatus::Cancelled, free, hold_over, &attempts, cancelled);
                }
            }
        }
    }

    #[test]
    fn a_sale_whose_tickets_all_came_back_is_refunded_and_nothing_else_is() {
        for (status, told) in [
            (OrderStatus::Confirmed, "refunded"),
            (OrderStatus::Cancelled, "cancelled"),
            (OrderStatus::Expired, "expired"),
        ] {
            for free in [false, true] {
                let attempts = &[AttemptStatus::Declined];
                let state =
                    OrderState { status, free, hold_over: true, attempts, given_back: true };
                assert_eq!(PublicStatus::of(state).code(), told);
            }
        }
    }

    #[test]
    fn the_table_has_every_status_of_an_attempt_and_of_an_order() {
        let single = |status| rows().any(|(attempts, _)| attempts == [status]);
        assert!(AttemptStatus::ALL.into_iter().all(single));
        let told = |status: &PublicStatus| rows().any(|(_, row)| row.contains(&status.code()));
        assert!(PublicStatus::ALL.iter().all(told));
    }
}
