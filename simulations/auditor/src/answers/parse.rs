//! One record into what it promises. `None` where an answer of success lacks a promised member.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Answers, Asked, AttemptShown, CancellationShown, Ended, Ending, HoldShown, Item, Listing,
    OrderShown, PartGiven, RefundShown, Refused, TicketsShown,
};
use crate::recorded::Recorded;

impl<'a> Answers<'a> {
    pub(super) fn take(&mut self, record: &'a Recorded, asked: Asked) -> Option<()> {
        let (path, query) = record.path.split_once('?').unwrap_or((&record.path, ""));
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        match (record.method.as_str(), &parts[..], record.status) {
            ("POST", _, Some(409)) => self.refused.extend(refused(record, asked)),
            ("DELETE", ["holds", id], Some(409)) => {
                self.refused.extend(refused(record, asked));
                self.endings.extend(ending(record, id, Ended::Hold));
            }
            ("POST", ["holds"], Some(200 | 201)) => {
                self.grants.push(hold(record, &record.answer, asked)?);
            }
            ("GET", ["holds", _], Some(200)) => {
                self.holds.push(hold(record, &record.answer, asked)?);
            }
            ("GET", ["events", event, "holds"], Some(200)) => self.list(record, event, asked)?,
            ("DELETE", ["holds", id, "items"], status) => {
                self.parts.extend(part(record, id, query));
                match status {
                    Some(200) => self.holds.push(hold(record, &record.answer, asked)?),
                    Some(409) => self.refused.extend(refused(record, asked)),
                    Some(_) | None => {}
                }
            }
            ("POST", ["orders"], Some(200 | 201)) | ("GET", ["orders", _], Some(200)) => {
                self.take_order(record, &record.answer)?;
            }
            ("GET", ["orders"], Some(200)) => {
                for item in record.answer.get("items")?.as_array()? {
                    self.take_order(record, item)?;
                }
            }
            ("GET", ["orders", id, "tickets"], Some(200)) => {
                self.tickets.extend(tickets(id.parse().ok()?, &record.answer)?);
            }
            ("POST", ["orders", id, "payments"], Some(202)) => {
                self.attempts.push(attempt(record, id)?);
            }
            ("POST", ["admin", "orders", id, "refunds"], Some(202)) => {
                self.refunds.push(refund(record, id)?);
            }
            ("POST", ["admin", "events", event, "cancel"], Some(202))
            | ("GET", ["admin", "events", event, "cancellation"], Some(200)) => {
                self.cancellations.push(cancellation(record, event)?);
            }
            ("DELETE", ["holds", id], _) => self.endings.extend(ending(record, id, Ended::Hold)),
            ("DELETE", ["orders", id], _) => self.endings.extend(ending(record, id, Ended::Order)),
            _ => {}
        }
        Some(())
    }

    fn list(&mut self, record: &'a Recorded, event: &str, asked: Asked) -> Option<()> {
        let shown = record.answer.get("items")?.as_array()?.iter();
        let shown = shown.map(|item| hold(record, item, asked)).collect::<Option<Vec<_>>>()?;
        let holds = shown.iter().map(|shown| shown.hold).collect();
        let (buyer, event) = (&*record.buyer, event.into());
        self.listings.push(Listing { asked, buyer, event, holds });
        self.holds.extend(shown);
        Some(())
    }

    fn take_order(&mut self, record: &'a Recorded, answer: &'a Value) -> Option<()> {
        let order = order(record, answer)?;
        if let Some(shown) = answer.get("tickets") {
            self.tickets.extend(tickets(order.order, shown)?);
        }
        self.orders.push(order);
        Some(())
    }
}

/// `None` for a 409 that decides nothing.
fn refused(record: &Recorded, asked: Asked) -> Option<Refused<'_>> {
    Some(Refused { asked, record, slug: record.refusal()? })
}

fn hold<'a>(record: &'a Recorded, answer: &'a Value, asked: Asked) -> Option<HoldShown<'a>> {
    let costs = answer.get("items")?.as_array()?.iter().chain(answer.get("fees")?.as_array()?);
    Some(HoldShown {
        asked,
        record,
        hold: id(answer.get("hold_id")?)?,
        status: answer.get("status")?.as_str()?,
        items: items(answer.get("items")?)?,
        declined: items(answer.get("declined")?)?,
        cost: costs.map(|it| amount(it.get("amount")?)).sum::<Option<i64>>()?,
        total: amount(answer.get("total")?)?,
        created_at: instant(answer.get("created_at")?)?,
        expires_at: instant(answer.get("expires_at")?)?,
    })
}

/// Items, in order: of what is declined a seat is its label alone.
fn items(value: &Value) -> Option<Vec<Item>> {
    let item = |item: &Value| match item.as_str().or_else(|| member(item, "seat")?.as_str()) {
        Some(label) => Some(Item::Seat(label.to_owned())),
        None => {
            let section = item.get("section")?.as_str()?;
            Some(Item::Places(section.to_owned(), item.get("quantity")?.as_i64()?))
        }
    };
    let mut items = value.as_array()?.iter().map(item).collect::<Option<Vec<_>>>()?;
    items.sort_unstable();
    Some(items)
}

/// Labels and sections of a drill need no escapes in a query.
fn part(record: &Recorded, id: &str, query: &str) -> Option<PartGiven> {
    let of = |name: &str| {
        let mut members = query.split('&').filter_map(|member| member.split_once('='));
        members.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    let item = match of("seat") {
        Some(label) => Item::Seat(label),
        None => Item::Places(of("section")?, of("quantity")?.parse().ok()?),
    };
    Some(PartGiven {
        hold: id.parse().ok()?,
        item,
        sent_at: record.at_start,
        done_at: (record.status == Some(200)).then_some(record.at_end),
    })
}

fn order<'a>(record: &'a Recorded, answer: &'a Value) -> Option<OrderShown<'a>> {
    Some(OrderShown {
        buyer: &record.buyer,
        order: id(answer.get("order_id")?)?,
        hold: id(answer.get("hold_id")?)?,
        status: answer.get("status")?.as_str()?,
        total: amount(answer.get("total")?)?,
        at_start: record.at_start,
        at_end: record.at_end,
    })
}

/// `Some(None)` when none are shown: they may not have been issued yet.
fn tickets(order: Uuid, shown: &Value) -> Option<Option<TicketsShown<'_>>> {
    let ticket = |ticket| {
        let place = member(ticket, "seat").or_else(|| member(ticket, "section"))?.as_str()?;
        Some((id(member(ticket, "ticket_id")?)?, place))
    };
    let mut tickets = shown.as_array()?.iter().map(ticket).collect::<Option<Vec<_>>>()?;
    tickets.sort_unstable();
    Some((!tickets.is_empty()).then_some(TicketsShown { order, tickets }))
}

fn attempt(record: &Recorded, order: &str) -> Option<AttemptShown> {
    Some(AttemptShown {
        order: order.parse().ok()?,
        attempt: id(record.answer.get("attempt_id")?)?,
        amount: amount(record.answer.get("amount")?)?,
    })
}

fn refund(record: &Recorded, order: &str) -> Option<RefundShown> {
    let tickets = record.answer.get("tickets")?.as_array()?.iter();
    Some(RefundShown {
        order: order.parse().ok()?,
        refund: id(record.answer.get("refund_id")?)?,
        amount: amount(record.answer.get("amount")?)?,
        tickets: tickets.map(id).collect::<Option<_>>()?,
    })
}

fn cancellation<'a>(record: &'a Recorded, event: &str) -> Option<CancellationShown<'a>> {
    let count = |member: &str| record.answer.get(member)?.as_i64();
    Some(CancellationShown {
        event: event.into(),
        status: record.answer.get("status")?.as_str()?,
        holds: count("holds")?,
        orders: count("orders")?,
        done: count("done")?,
        amount: amount(record.answer.get("amount")?)?,
        at_start: record.at_start,
        at_end: record.at_end,
    })
}

fn ending(record: &Recorded, id: &str, of: fn(Uuid) -> Ended) -> Option<Ending> {
    Some(Ending {
        of: of(id.parse().ok()?),
        sent_at: record.at_start,
        done_at: (record.status == Some(204)).then_some(record.at_end),
    })
}

/// A member that is there and not null.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|value| !value.is_null())
}

fn id(value: &Value) -> Option<Uuid> {
    value.as_str()?.parse().ok()
}

fn amount(money: &Value) -> Option<i64> {
    money.get("amount")?.as_i64()
}

fn instant(value: &Value) -> Option<DateTime<Utc>> {
    Some(DateTime::parse_from_rfc3339(value.as_str()?).ok()?.to_utc())
}
