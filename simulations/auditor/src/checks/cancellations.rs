//! Events that do not take place: nothing of them lives, nothing was sold since, no money is kept, and what
//! an operator saw of it adds up. The evidence is from a time when nothing was under way.

use crate::answers::{Answers, CancellationShown};
use crate::books::{Entry, EntryKind};
use crate::checks::lifetime::CLOCK_LEEWAY;
use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Cause, Event, Hold, HoldStatus, Order, OrderStatus, RefundStatus, TicketStatus};

pub(crate) fn check(
    index: &Index<'_>,
    books: &[Entry],
    answers: &Answers<'_>,
    report: &mut Report,
) {
    for event in &index.rows.events {
        let Some(cancelled_at) = event.cancelled_at else { continue };
        for hold in index.rows.holds.iter().filter(|hold| hold.event == event.number) {
            let since = cancelled_at + CLOCK_LEEWAY;
            let is_sold_since =
                hold.status == HoldStatus::Converted && hold.ended_at.is_some_and(|at| at > since);
            if hold.created_at > since || is_sold_since {
                report.find(Rule::SoldThoughCancelled, format!("since {cancelled_at}: {hold:?}"));
            }
            is_over(index, hold, report);
            for order in index.orders_of_hold(hold.id) {
                keeps_nothing(index, books, order, report);
            }
        }
        let shown: Vec<_> = answers
            .cancellations
            .iter()
            .filter(|shown| index.event_named(&shown.event).is_some_and(|it| it.id == event.id))
            .collect();
        adds_up(index, event, &shown, report);
    }
}

fn is_over(index: &Index<'_>, hold: &Hold, report: &mut Report) {
    if hold.status == HoldStatus::Active {
        report.find(Rule::CancellationUnfinished, format!("{hold:?}"));
    }
    for order in index.orders_of_hold(hold.id) {
        if order.status == OrderStatus::Open {
            report.find(Rule::CancellationUnfinished, format!("{order:?}"));
        }
        for attempt in index.attempts_of(order.id).iter().filter(|it| !it.is_final()) {
            report.find(Rule::CancellationUnfinished, format!("{attempt:?}"));
        }
        let tickets = index.tickets_of(order.id).iter();
        for ticket in tickets.filter(|it| it.status != TicketStatus::Void) {
            report.find(Rule::CancellationUnfinished, format!("{ticket:?}"));
        }
    }
}

/// By the provider's books alone.
fn keeps_nothing(index: &Index<'_>, books: &[Entry], order: &Order, report: &mut Report) {
    let of_the_order = books.iter().filter(|entry| entry.order_id == order.id);
    let moved = of_the_order.map(|entry| match entry.kind {
        EntryKind::Capture => entry.amount,
        EntryKind::Refund | EntryKind::Chargeback => -entry.amount,
        EntryKind::Authorisation | EntryKind::Void => 0,
    });
    let kept: i64 = moved.sum();
    if kept != 0 {
        let refunds = index.refunds_of(order.id);
        report.find(Rule::CancelledMoneyKept, format!("{kept} of {order:?}: {refunds:?}"));
    }
}

fn adds_up(
    index: &Index<'_>,
    event: &Event,
    shown: &[&CancellationShown<'_>],
    report: &mut Report,
) {
    for after in shown {
        let is_done = after.holds == 0 && after.done == after.orders;
        if after.done > after.orders || is_done != (after.status == "done") {
            report.find(Rule::CancellationShownWrong, format!("{after:?}"));
        }
        // The latest that had been answered when this was asked: what overlaps has no order.
        let before = shown.iter().filter(|it| it.at_end < after.at_start);
        let Some(before) = before.max_by_key(|it| it.at_end) else { continue };
        let is_back =
            before.holds < after.holds || before.orders > after.orders || before.done > after.done;
        if is_back {
            report.find(Rule::CancellationShownWrong, format!("{before:?}, then {after:?}"));
        }
    }
    let Some(last) = shown.iter().max_by_key(|it| it.at_start) else { return };
    let (sold, owed) = by_rows(index, event);
    if last.status == "done" && (last.orders, last.amount) != (sold, owed) {
        let detail =
            format!("{last:?}: rows have {sold} orders sold, and {owed} owed or paid back");
        report.find(Rule::CancellationShownWrong, detail);
    }
}

/// How many orders were sold, and what is owed or was paid back because of the cancellation.
fn by_rows(index: &Index<'_>, event: &Event) -> (i64, i64) {
    let holds = index.rows.holds.iter().filter(|hold| hold.event == event.number);
    let orders = holds.flat_map(|hold| index.orders_of_hold(hold.id));
    let sold: Vec<_> = orders.filter(|it| it.status == OrderStatus::Confirmed).collect();
    let refunds = sold.iter().flat_map(|order| index.refunds_of(order.id));
    let owed = refunds.filter(|refund| {
        refund.cause == Cause::Cancellation && refund.status != RefundStatus::Nothing
    });
    let owed = owed.map(|refund| refund.amount).sum();
    (i64::try_from(sold.len()).unwrap_or(i64::MAX), owed)
}
