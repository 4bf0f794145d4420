//! The provider's books against the attempts and orders in the rows, both ways.

use std::collections::HashMap;

use uuid::Uuid;

use crate::books::{Entry, EntryKind};
use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Attempt, AttemptStatus, Order, OrderStatus, RefundStatus, TicketStatus};

pub(crate) fn check(index: &Index<'_>, books: &[Entry], report: &mut Report) {
    let mut by_attempt: HashMap<Uuid, Booked<'_>> = HashMap::new();
    for entry in books {
        by_attempt.entry(entry.attempt_id).or_default().take(entry);
    }
    for attempt in &index.rows.attempts {
        let nothing = Booked::default();
        let booked = by_attempt.get(&attempt.id).unwrap_or(&nothing);
        attempt_agrees(index, attempt, booked, report);
    }
    for (attempt, booked) in &by_attempt {
        match index.attempts.get(attempt) {
            Some(row) => captures_are_founded(index, row, booked, report),
            None => report.find(Rule::MoneyWithoutAttempt, format!("{attempt}: {booked:?}")),
        }
    }
    for order in &index.rows.orders {
        order_is_paid_once(index, order, &by_attempt, report);
    }
}

/// The entries of one attempt.
#[derive(Debug, Default)]
struct Booked<'a> {
    authorisations: Vec<&'a Entry>,
    captures: Vec<&'a Entry>,
    voids: Vec<&'a Entry>,
    refunds: Vec<&'a Entry>,
    charge_backs: Vec<&'a Entry>,
}

impl<'a> Booked<'a> {
    fn take(&mut self, entry: &'a Entry) {
        match entry.kind {
            EntryKind::Authorisation => self.authorisations.push(entry),
            EntryKind::Capture => self.captures.push(entry),
            EntryKind::Void => self.voids.push(entry),
            EntryKind::Refund => self.refunds.push(entry),
            EntryKind::Chargeback => self.charge_backs.push(entry),
        }
    }

    /// What moves the whole amount.
    fn whole(&self) -> impl Iterator<Item = &&'a Entry> {
        self.authorisations.iter().chain(&self.captures).chain(&self.voids)
    }

    fn all(&self) -> impl Iterator<Item = &&'a Entry> {
        self.whole().chain(&self.refunds).chain(&self.charge_backs)
    }

    fn captured(&self) -> i64 {
        self.captures.iter().map(|it| it.amount).sum()
    }

    fn refunded(&self) -> i64 {
        self.refunds.iter().map(|it| it.amount).sum()
    }
}

fn attempt_agrees(index: &Index<'_>, attempt: &Attempt, booked: &Booked<'_>, report: &mut Report) {
    let counts = (booked.authorisations.len(), booked.captures.len(), booked.voids.len());
    match attempt.status {
        AttemptStatus::Captured if counts != (1, 1, 0) => {
            report.find(Rule::CaptureMissing, format!("{attempt:?}: {booked:?}"));
        }
        AttemptStatus::Voided if counts != (1, 0, 1) => {
            report.find(Rule::VoidMissing, format!("{attempt:?}: {booked:?}"));
        }
        AttemptStatus::Refunded if counts.1 != 1 || booked.refunded() != booked.captured() => {
            report.find(Rule::RefundMissing, format!("{attempt:?}: {booked:?}"));
        }
        AttemptStatus::CaptureFailed if counts.1 > 0 => {
            report.find(Rule::CaptureUnnoticed, format!("{attempt:?}: {booked:?}"));
        }
        AttemptStatus::Captured
        | AttemptStatus::Voided
        | AttemptStatus::Refunded
        | AttemptStatus::Pending
        | AttemptStatus::RequiresAction
        | AttemptStatus::Verifying
        | AttemptStatus::Authorized
        | AttemptStatus::Confirmed
        | AttemptStatus::VoidDue
        | AttemptStatus::RefundDue
        | AttemptStatus::CaptureFailed
        | AttemptStatus::ReturnDue
        | AttemptStatus::Declined
        | AttemptStatus::Failed => {}
    }
    if counts.0 > 1 {
        report.find(Rule::AuthorisedTwice, format!("{attempt:?}: {booked:?}"));
    }
    let settled = |reference: &str| {
        booked.captures.iter().chain(&booked.voids).any(|it| it.reference == reference)
    };
    let left = booked.authorisations.iter().find(|it| !settled(&it.reference));
    if let Some(left) = left.filter(|_| attempt.is_final()) {
        report.find(Rule::AuthorisationLeft, format!("{attempt:?}: {left:?}"));
    }
    let order = index.orders.get(&attempt.order);
    let currency = order
        .and_then(|order| index.holds.get(&order.hold))
        .and_then(|hold| index.event(hold.event))
        .map(|event| event.currency.as_str());
    let of_the_order = order.is_some_and(|order| order.total == attempt.amount)
        && currency == Some(&attempt.currency);
    if booked.refunded() > booked.captured() {
        report.find(Rule::RefundAboveCapture, format!("{attempt:?}: {booked:?}"));
    }
    let is_whole = booked.whole().all(|entry| entry.amount == attempt.amount);
    let of_the_attempt = is_whole
        && booked.all().all(|entry| {
            entry.currency == attempt.currency
                && entry.order_id == attempt.order
                && attempt.reference.as_ref().is_none_or(|reference| *reference == entry.reference)
        });
    if !of_the_order || !of_the_attempt {
        report.find(Rule::AmountDiffers, format!("{attempt:?} of {order:?}: {booked:?}"));
    }
}

fn captures_are_founded(
    index: &Index<'_>,
    attempt: &Attempt,
    booked: &Booked<'_>,
    report: &mut Report,
) {
    let order = index.orders.get(&attempt.order);
    let is_sold = order.is_some_and(|order| order.status == OrderStatus::Confirmed);
    // Taken unasked, it goes back.
    let goes_back = matches!(attempt.status, AttemptStatus::RefundDue | AttemptStatus::Refunded);
    let is_founded = goes_back || is_sold && attempt.is_sale();
    if !is_founded && !booked.captures.is_empty() {
        report.find(Rule::CaptureUnfounded, format!("{attempt:?} of {order:?}: {booked:?}"));
    }
}

fn order_is_paid_once(
    index: &Index<'_>,
    order: &Order,
    booked: &HashMap<Uuid, Booked<'_>>,
    report: &mut Report,
) {
    let attempts = index.attempts_of(order.id);
    let captures: usize =
        attempts.iter().filter_map(|it| booked.get(&it.id)).map(|it| it.captures.len()).sum();
    if captures > 1 {
        report.find(Rule::OrderCapturedTwice, format!("{order:?}: {captures} captures"));
    }
    // A capture that was refused for good: its tickets came back, and nothing is paid for them.
    let refunds = index.refunds_of(order.id);
    let tickets = index.tickets_of(order.id);
    let is_undone = !refunds.is_empty()
        && tickets.iter().all(|it| it.status == TicketStatus::Void)
        && refunds.iter().all(|refund| refund.status == RefundStatus::Nothing);
    let costs = order.status == OrderStatus::Confirmed && order.total > 0 && !is_undone;
    if costs && !attempts.iter().any(|attempt| attempt.is_sale()) {
        report.find(Rule::SaleUnpaid, format!("{order:?}: {attempts:?}"));
    }
}
