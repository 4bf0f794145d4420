//! What clients were told, against the rows: nothing that was answered may be missing or different.

use std::collections::HashMap;

use uuid::Uuid;

use crate::answers::{Answers, AttemptShown, Ended, Ending, OrderShown, RefundShown, TicketsShown};
use crate::checks::lifetime::{CLOCK_LEEWAY, Lifetime};
use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{AttemptStatus, OrderStatus, TicketStatus};

pub(crate) fn check(index: &Index<'_>, answers: &Answers<'_>, report: &mut Report) {
    for record in &answers.unreadable {
        let detail = format!("{} {}: {}", record.method, record.path, record.answer);
        report.find(Rule::AnswerBroken, detail);
    }
    for order in &answers.orders {
        order_is_there(index, order, report);
    }
    one_order_a_hold(&answers.orders, report);
    for shown in &answers.tickets {
        tickets_are_valid(index, shown, report);
    }
    tickets_stay_the_same(&answers.tickets, report);
    for attempt in &answers.attempts {
        attempt_is_there(index, attempt, report);
    }
    for refund in &answers.refunds {
        refund_is_there(index, refund, report);
    }
    for ending in &answers.endings {
        ended_for_good(index, ending, report);
    }
}

fn order_is_there(index: &Index<'_>, shown: &OrderShown<'_>, report: &mut Report) {
    let Some(order) = index.orders.get(&shown.order) else {
        report.find(Rule::OrderLost, format!("{shown:?} has no row"));
        return;
    };
    if order.hold != shown.hold || order.buyer != shown.buyer || order.total != shown.total {
        report.find(Rule::OrderLost, format!("{shown:?}; the row is {order:?}"));
    }
    let captured = AttemptStatus::Captured;
    let is_captured = || index.attempts_of(order.id).iter().any(|it| it.status == captured);
    let is_sold = order.status == OrderStatus::Confirmed;
    let still = match shown.status {
        "confirmed" => is_sold,
        "captured" => is_sold && (order.total == 0 || is_captured()),
        "cancelled" => order.status == OrderStatus::Cancelled,
        // Its hold may be over by the clock alone.
        "expired" => matches!(order.status, OrderStatus::Expired | OrderStatus::Open),
        "voided" => !is_sold,
        // All of its tickets came back, or none was ever issued.
        "refunded" => {
            let mut tickets = index.tickets_of(order.id).iter();
            !is_sold || tickets.all(|ticket| ticket.status == TicketStatus::Void)
        }
        "pending_payment" | "authorizing" | "verifying" | "declined" | "capture_failed" => true,
        _ => false,
    };
    if !still {
        report.find(Rule::SaleLost, format!("{shown:?}; the row is {order:?}"));
    }
}

fn one_order_a_hold(shown: &[OrderShown<'_>], report: &mut Report) {
    let mut of_hold: HashMap<Uuid, Uuid> = HashMap::new();
    for order in shown {
        let first = *of_hold.entry(order.hold).or_insert(order.order);
        if first != order.order {
            let detail = format!("hold {}: order {first} and order {}", order.hold, order.order);
            report.find(Rule::OrderDoubled, detail);
        }
    }
}

fn tickets_are_valid(index: &Index<'_>, shown: &TicketsShown<'_>, report: &mut Report) {
    for (id, place) in &shown.tickets {
        let row = index.tickets_of(shown.order).iter().find(|ticket| ticket.id == *id);
        let good = row.is_some_and(|ticket| {
            let called = match ticket.seat {
                Some(seat) => index.seats.get(&(ticket.event, seat)).map(|it| it.label.as_str()),
                None => index.area_called(ticket.event, place).map(|it| it.name.as_str()),
            };
            let came_back = !index.refunds_of_ticket(*id).is_empty();
            (came_back || ticket.status != TicketStatus::Void) && called == Some(*place)
        });
        if !good {
            report.find(
                Rule::TicketLost,
                format!("order {}: ticket {id} for {place}; the row is {row:?}", shown.order),
            );
        }
    }
}

fn tickets_stay_the_same(shown: &[TicketsShown<'_>], report: &mut Report) {
    let mut first: HashMap<Uuid, &[(Uuid, &str)]> = HashMap::new();
    for shown in shown {
        let first = *first.entry(shown.order).or_insert(&shown.tickets);
        if first != shown.tickets {
            let detail = format!("order {}: {first:?}, then {:?}", shown.order, shown.tickets);
            report.find(Rule::TicketsReissued, detail);
        }
    }
}

fn attempt_is_there(index: &Index<'_>, shown: &AttemptShown, report: &mut Report) {
    let row = index.attempts.get(&shown.attempt);
    if !row.is_some_and(|row| row.order == shown.order && row.amount == shown.amount) {
        report.find(Rule::AttemptLost, format!("{shown:?}; the row is {row:?}"));
    }
}

fn refund_is_there(index: &Index<'_>, shown: &RefundShown, report: &mut Report) {
    let row = index.refunds_of(shown.order).iter().find(|row| row.id == shown.refund);
    let same = row.is_some_and(|row| row.amount == shown.amount && row.tickets == shown.tickets);
    if !same {
        report.find(Rule::RefundLost, format!("{shown:?}; the row is {row:?}"));
    }
}

fn ended_for_good(index: &Index<'_>, ending: &Ending, report: &mut Report) {
    let Some(done_at) = ending.done_at else { return };
    let hold = match ending.of {
        Ended::Hold(id) => index.holds.get(&id),
        Ended::Order(id) => index.orders.get(&id).and_then(|order| index.holds.get(&order.hold)),
    };
    let ended = hold.map(|hold| Lifetime::of(hold).until);
    if !matches!(ended, Some(Some(at)) if at <= done_at + CLOCK_LEEWAY) {
        report.find(Rule::ReleaseUndone, format!("{ending:?}; the hold is {hold:?}"));
    }
}
