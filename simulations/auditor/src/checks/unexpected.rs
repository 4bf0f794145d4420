//! Refusals that are no result: each 4xx must follow from the request, or from what was asked before.
//!
//! Clients here send well-formed requests with a good token for things of their own, in a sale that is
//! open until its event is cancelled, and without rate limits. What remains are decided refusals, which are examined elsewhere, and
//! the few answers below.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::checks::lifetime::CLOCK_LEEWAY;
use crate::index::Index;
use crate::recorded::Recorded;
use crate::report::{Report, Rule};

/// A key's scope, as a client can see it.
type KeyName<'a> = (&'a str, &'a str, &'a str, &'a str);

pub(crate) fn check(index: &Index<'_>, recorded: &[Recorded], report: &mut Report) {
    let asked = Asked::of(recorded);
    for record in recorded {
        let is_refused = record.status.is_some_and(|status| (400..500).contains(&status));
        if is_refused && !asked.explains(record) && !was_called_off(index, record) {
            let Recorded { buyer, method, path, request, status, answer, .. } = record;
            let detail = format!("{buyer}: {method} {path} {request}: {status:?} {answer}");
            report.find(Rule::AnswerUnexpected, detail);
        }
    }
}

/// A hold of an event that was cancelled by then.
fn was_called_off(index: &Index<'_>, record: &Recorded) -> bool {
    let event = index.event_named(&record.request["event_id"]);
    let cancelled_at = event.and_then(|event| event.cancelled_at);
    (record.method.as_str(), record.path.as_str()) == ("POST", "/holds")
        && (record.status, record.problem()) == (Some(409), Some("sale-not-open"))
        && record.answer["sale_status"] == "cancelled"
        && cancelled_at.is_some_and(|at| at <= record.at_end + CLOCK_LEEWAY)
}

/// What was asked, by what explains refusals.
#[derive(Default)]
struct Asked<'a> {
    /// The requests of each key.
    of_key: HashMap<KeyName<'a>, Vec<&'a Value>>,
    /// What was asked to be ended, or given back, and how often.
    ended: HashMap<(&'a str, &'a str), usize>,
    /// Orders that somebody tried to pay.
    paid: HashSet<&'a str>,
}

impl<'a> Asked<'a> {
    fn of(recorded: &'a [Recorded]) -> Self {
        let mut asked = Self::default();
        for record in recorded {
            if let Some(name) = key_name(record) {
                let requests = asked.of_key.entry(name).or_default();
                if !requests.contains(&&record.request) {
                    requests.push(&record.request);
                }
            }
            if record.method == "DELETE" {
                *asked.ended.entry((&record.buyer, thing(record))).or_default() += 1;
            }
            if let Some(order) = record.path.strip_suffix("/payments") {
                asked.paid.insert(order);
            }
        }
        asked
    }

    fn explains(&self, record: &Recorded) -> bool {
        let path: Vec<&str> = record.path.split(['/', '?']).skip(1).collect();
        let times = || self.ended.get(&(&*record.buyer, thing(record))).copied().unwrap_or(0);
        match (record.status, record.problem(), record.method.as_str(), &path[..]) {
            (Some(409), Some("idempotency-key-in-use"), _, _) => record.key.is_some(),
            (Some(422), Some("idempotency-key-reused"), _, _) => {
                key_name(record).is_some_and(|name| self.of_key[&name].len() > 1)
            }
            (Some(409), Some("seats-unavailable" | "buyer-limit-exceeded"), "POST", ["holds"])
            | (Some(409), Some("hold-not-active"), "POST", ["orders"])
            | (
                Some(409),
                Some("hold-not-active" | "order-not-payable"),
                "POST",
                ["orders", _, "payments"],
            )
            | (Some(409), Some("hold-not-active"), "DELETE", ["holds", _, ..]) => true,
            // What was sold may have come back before, by another refund or by the bank.
            (
                Some(409),
                Some("refund-not-possible"),
                "POST",
                ["admin", "orders", order, "refunds"],
            ) => self.paid.contains(&*format!("/orders/{order}")),
            // Sold by a payment that somebody had begun, or asked for a part of what has an order.
            (Some(409), Some("order-not-cancellable"), "DELETE", ["orders", _]) => {
                self.paid.contains(&*record.path)
            }
            (Some(409), Some("order-not-cancellable"), "DELETE", ["holds", _, "items", _]) => true,
            // Asked twice, the second finds nothing of it, or less.
            (Some(404), Some("not-found"), "DELETE", ["holds", _, "items", _])
            | (Some(400), Some("malformed-request"), "DELETE", ["holds", _, "items", _]) => {
                times() > 1
            }
            _ => false,
        }
    }
}

/// What a `DELETE` names: of a part its hold, since two parts may take of the same places.
fn thing(record: &Recorded) -> &str {
    record.path.split_once("/items").map_or(&*record.path, |(hold, _)| hold)
}

fn key_name(record: &Recorded) -> Option<KeyName<'_>> {
    record.key.as_deref().map(|key| (&*record.buyer, &*record.method, &*record.path, key))
}
