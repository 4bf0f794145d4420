//! Tickets that came back, and their money: rows against each other, and against the provider's books.

use std::collections::HashMap;

use uuid::Uuid;

use crate::books::{Entry, EntryKind};
use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{AttemptStatus, Hold, Refund, RefundStatus, Ticket, TicketStatus};

pub(crate) fn check(index: &Index<'_>, books: &[Entry], report: &mut Report) {
    for ticket in &index.rows.tickets {
        let refunds = index.refunds_of_ticket(ticket.id);
        let of_its_order = refunds.iter().filter(|it| it.order == ticket.order).count();
        let expected = usize::from(ticket.status == TicketStatus::Void);
        if refunds.len() != expected || of_its_order != expected {
            report.find(Rule::ReturnDisagrees, format!("{ticket:?}: {refunds:?}"));
        }
    }
    for refund in &index.rows.refunds {
        owes_what_they_cost(index, refund, report);
    }
    for order in &index.rows.orders {
        all_together_are_the_total(index, order.id, report);
    }
    are_booked_by_name(index, books, report);
}

/// Each ticket costs its price and a share of the fees.
fn owes_what_they_cost(index: &Index<'_>, refund: &Refund, report: &mut Report) {
    let hold = index.orders.get(&refund.order).and_then(|order| index.holds.get(&order.hold));
    let tickets = index.tickets_of(refund.order);
    let mut prices = 0;
    for id in &refund.tickets {
        let ticket = tickets.iter().find(|ticket| ticket.id == *id);
        let price = ticket.zip(hold).and_then(|(ticket, hold)| price(hold, ticket));
        let Some(price) = price else {
            let detail = format!("{refund:?}: no ticket {id} of its order");
            return report.find(Rule::ReturnDisagrees, detail);
        };
        prices += price;
    }
    let fees: i64 = hold.iter().flat_map(|hold| &hold.fees).sum();
    let is_their_share = (prices..=prices + fees).contains(&refund.amount);
    let right = match (refund.is_owed(), refund.status) {
        (false, RefundStatus::Nothing) => refund.amount == 0,
        (false, RefundStatus::Due | RefundStatus::Settled) => false,
        (true, RefundStatus::Nothing) if prices == 0 => refund.amount == 0,
        // Owed until it was clear that the money would never be taken.
        (true, RefundStatus::Nothing) => {
            is_their_share && !index.attempts_of(refund.order).iter().any(|it| it.is_sale())
        }
        (true, RefundStatus::Due | RefundStatus::Settled) => is_their_share,
    };
    if !right {
        report.find(Rule::RefundAmountWrong, format!("{refund:?}: prices {prices}, fees {fees}"));
    }
}

/// Prices stand in the order of the seats, then of the places.
fn price(hold: &Hold, ticket: &Ticket) -> Option<i64> {
    let place = match ticket.seat {
        Some(seat) => hold.seats.iter().position(|it| *it == seat)?,
        None => {
            let mut before = hold.seats.len();
            for (section, quantity) in &hold.places {
                if *section == ticket.section {
                    break;
                }
                before += usize::try_from(*quantity).ok()?;
            }
            before
        }
    };
    hold.unit_prices.get(place).copied()
}

/// What is owed for all tickets of an order is its total, to the unit.
fn all_together_are_the_total(index: &Index<'_>, order: Uuid, report: &mut Report) {
    let refunds = index.refunds_of(order);
    let tickets = index.tickets_of(order);
    let all_owed = refunds.iter().all(|refund| refund.is_owed());
    let all_back = tickets.iter().all(|ticket| ticket.status == TicketStatus::Void);
    let owed: i64 = refunds.iter().map(|refund| refund.amount).sum();
    let total = index.orders[&order].total;
    let right =
        if all_owed && all_back && !tickets.is_empty() { owed == total } else { owed <= total };
    if !right {
        let detail = format!("order {order} of {total} owes {owed}: {refunds:?}");
        report.find(Rule::RefundAmountWrong, detail);
    }
}

/// Both ways: each refund that is settled is in the books once, under its name; and nothing else is.
fn are_booked_by_name(index: &Index<'_>, books: &[Entry], report: &mut Report) {
    let mut booked: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for entry in books.iter().filter(|entry| entry.kind == EntryKind::Refund) {
        booked.entry(name(entry)).or_default().push(entry);
    }
    for refund in index.rows.refunds.iter().filter(|it| it.status != RefundStatus::Nothing) {
        let entries = booked.remove(&*refund.id.to_string()).unwrap_or_default();
        let same = entries.iter().all(|entry| {
            (entry.order_id, entry.amount, &entry.currency)
                == (refund.order, refund.amount, &refund.currency)
        });
        if entries.len() > 1 || !same {
            report.find(Rule::RefundUnfounded, format!("{refund:?}: {entries:?}"));
        }
        if entries.is_empty() && refund.status == RefundStatus::Settled {
            report.find(Rule::RefundMissing, format!("{refund:?} is not in the books"));
        }
    }
    // What was taken unasked goes back under the attempt's own name, whole.
    for (name, entries) in booked {
        let attempt = name.parse().ok().and_then(|id: Uuid| index.attempts.get(&id));
        let goes_back = attempt.is_some_and(|attempt| {
            matches!(attempt.status, AttemptStatus::RefundDue | AttemptStatus::Refunded)
                && entries.iter().all(|entry| entry.attempt_id == attempt.id)
        });
        if !goes_back || entries.len() > 1 {
            report.find(Rule::RefundUnfounded, format!("{name} of {attempt:?}: {entries:?}"));
        }
    }
}

/// The name that the server gave the refund: its key is that and a number of tries.
pub(super) fn name(entry: &Entry) -> &str {
    entry.idempotency_key.split_once("-refund").map_or("", |(name, _)| name)
}
