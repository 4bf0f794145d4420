//! What a consumer has that knows messages by their ids, beside what the rows say.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;
use taquilla_auditor::Rows;
use uuid::Uuid;

use crate::DrillError;

/// The messages, each once.
pub(super) struct Heard {
    holds: BTreeSet<Uuid>,
    orders: BTreeSet<Uuid>,
    tickets: BTreeSet<Uuid>,
    messages: usize,
    repeated: usize,
    /// The first that came before one that is earlier in its event, or in its order's money.
    out_of_order: Option<String>,
}

impl Heard {
    /// Of everything on the bus, in its order.
    pub(super) fn of(events: Vec<Value>) -> Result<Self, DrillError> {
        let mut heard = Self {
            holds: BTreeSet::new(),
            orders: BTreeSet::new(),
            tickets: BTreeSet::new(),
            messages: 0,
            repeated: 0,
            out_of_order: None,
        };
        let (mut known, mut latest) = (HashSet::new(), HashMap::new());
        for event in events {
            let text = |name: &str| {
                let text = event[name].as_str().map(str::to_owned);
                text.ok_or_else(|| DrillError::Broken(format!("a message without {name}: {event}")))
            };
            let (id, kind, sequence) = (text("id")?, text("type")?, text("sequence")?);
            if !known.insert(id.clone()) {
                heard.repeated += 1;
                continue;
            }
            heard.messages += 1;
            let stream = id.split('.').next().unwrap_or_default().to_owned();
            if let Some(before) = latest.insert(stream, sequence.clone())
                && before >= sequence
            {
                heard.out_of_order.get_or_insert_with(|| format!("{id} came after {before}"));
            }
            let named =
                |name: &str| event["data"][name].as_str().and_then(|id| Uuid::parse_str(id).ok());
            match kind.as_str() {
                "taquilla.hold.placed.v1" => heard.holds.extend(named("hold_id")),
                "taquilla.order.placed.v1" => heard.orders.extend(named("order_id")),
                "taquilla.ticket.issued.v1" => heard.tickets.extend(named("ticket_id")),
                _ => {}
            }
        }
        Ok(heard)
    }

    pub(super) fn messages(&self) -> usize {
        self.messages
    }

    pub(super) fn repeated(&self) -> usize {
        self.repeated
    }

    /// What is in the rows and was not told, in words.
    pub(super) fn missing(&self, rows: &Rows) -> Option<String> {
        self.each(rows).into_iter().find_map(|(what, rows, heard)| {
            let missing: Vec<_> = rows.difference(heard).collect();
            let first = missing.first()?;
            Some(format!("{} {what} were never told, such as {first}", missing.len()))
        })
    }

    /// What was told and is in no row, or came in another order.
    pub(super) fn wrong(&self, rows: &Rows) -> Option<String> {
        let made_up = self.each(rows).into_iter().find_map(|(what, rows, heard)| {
            let first = heard.difference(&rows).next()?;
            Some(format!("one of the {what} that were told is nowhere: {first}"))
        });
        made_up.or_else(|| self.out_of_order.clone())
    }

    fn each(&self, rows: &Rows) -> [(&'static str, BTreeSet<Uuid>, &BTreeSet<Uuid>); 3] {
        [
            ("holds", rows.holds.iter().map(|hold| hold.id).collect(), &self.holds),
            ("orders", rows.orders.iter().map(|order| order.id).collect(), &self.orders),
            ("tickets", rows.tickets.iter().map(|ticket| ticket.id).collect(), &self.tickets),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(event: &str, batch: u32) -> Value {
        let id = format!("{event}.{batch}.0");
        json!({"id": id, "type": "taquilla.hold.ended.v1", "sequence": format!("{batch:012}.000000")})
    }

    #[test]
    fn what_comes_again_is_counted_and_what_comes_too_late_is_found() {
        let heard = |messages: &[(&str, u32)]| {
            let events = messages.iter().map(|(event, batch)| message(event, *batch)).collect();
            let heard = Heard::of(events).expect("messages");
            (heard.messages, heard.repeated, heard.out_of_order.is_some())
        };
        assert_eq!(heard(&[("a", 1), ("b", 1), ("a", 2), ("b", 2)]), (4, 0, false));
        assert_eq!(heard(&[("a", 1), ("a", 2), ("a", 1), ("a", 2), ("a", 3)]), (3, 2, false));
        assert_eq!(heard(&[("a", 2), ("a", 1)]), (2, 0, true));
        assert!(Heard::of(vec![json!({})]).is_err());
    }
}
