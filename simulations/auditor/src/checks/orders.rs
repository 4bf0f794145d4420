//! Orders and tickets against the holds that they came from.

use std::collections::HashMap;

use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Hold, HoldStatus, Order, OrderStatus, SeatState, Ticket, TicketStatus};

pub(crate) fn check(index: &Index<'_>, report: &mut Report) {
    for order in &index.rows.orders {
        agrees_with_its_hold(index, order, report);
    }
    for hold in &index.rows.holds {
        let orders = index.orders_of_hold(hold.id);
        if orders.len() > 1 {
            let detail = format!("hold {} has {} orders", hold.id, orders.len());
            report.find(Rule::OrderDoubled, detail);
        }
        if hold.status == HoldStatus::Converted && orders.is_empty() {
            report.find(Rule::OrderDisagrees, format!("hold {} was sold without order", hold.id));
        }
    }
    seats_have_one_ticket(index, report);
}

fn agrees_with_its_hold(index: &Index<'_>, order: &Order, report: &mut Report) {
    let Some(hold) = index.holds.get(&order.hold) else {
        report.find(Rule::OrderDisagrees, format!("order {} has no hold", order.id));
        return;
    };
    let is_sold = order.status == OrderStatus::Confirmed;
    if order.buyer != hold.buyer || is_sold != (hold.status == HoldStatus::Converted) {
        report.find(
            Rule::OrderDisagrees,
            format!(
                "order {} of {} is {:?}, its hold of {} is {:?}",
                order.id, order.buyer, order.status, hold.buyer, hold.status
            ),
        );
    }
    if order.total != hold.total {
        report.find(
            Rule::AmountDiffers,
            format!("order {} costs {}, its hold {}", order.id, order.total, hold.total),
        );
    }
    let issued = index.tickets_of(order.id).iter();
    let issued = issued.filter(|it| is_in_force(it) || !index.refunds_of_ticket(it.id).is_empty());
    let expected = if is_sold { items(index, hold) } else { Vec::new() };
    let mut found: Vec<_> = issued.map(|it| (it.event, it.section, it.seat)).collect();
    found.sort_unstable();
    if found != expected {
        let detail = format!("order {} sold {expected:?}, tickets say {found:?}", order.id);
        report.find(Rule::TicketsDisagree, detail);
    }
}

/// What a hold's tickets must be for, in order.
fn items(index: &Index<'_>, hold: &Hold) -> Vec<(i32, i16, Option<i32>)> {
    let seats = hold.seats.iter().map(|seat| {
        // A seat without a row lies in no section.
        let section = index.seats.get(&(hold.event, *seat)).map_or(-1, |row| row.section);
        (hold.event, section, Some(*seat))
    });
    let places = hold
        .places
        .iter()
        .flat_map(|(section, quantity)| (0..*quantity).map(|_| (hold.event, *section, None)));
    let mut items: Vec<_> = seats.chain(places).collect();
    items.sort_unstable();
    items
}

fn seats_have_one_ticket(index: &Index<'_>, report: &mut Report) {
    let mut by_seat: HashMap<_, Vec<&Ticket>> = HashMap::new();
    for ticket in index.rows.tickets.iter().filter(|it| is_in_force(it)) {
        if !index.orders.contains_key(&ticket.order) {
            let detail = format!("ticket {} is of no order", ticket.id);
            report.find(Rule::TicketsDisagree, detail);
        }
        if let Some(seat) = ticket.seat {
            by_seat.entry((ticket.event, seat)).or_default().push(ticket);
        }
    }
    for (seat, tickets) in by_seat {
        if tickets.len() > 1 {
            let detail = format!("seat {seat:?} has {} tickets in force", tickets.len());
            report.find(Rule::SeatOwnedTwice, detail);
        }
        if index.seats.get(&seat).is_none_or(|row| row.state != SeatState::Sold) {
            let detail = format!("seat {seat:?} has a ticket and is not sold");
            report.find(Rule::TicketsDisagree, detail);
        }
    }
}

fn is_in_force(ticket: &Ticket) -> bool {
    matches!(ticket.status, TicketStatus::Valid | TicketStatus::Used)
}
