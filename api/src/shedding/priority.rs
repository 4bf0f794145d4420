//! What is shed before what, by method and path. Whatever nothing answers is the first to go.

use axum::http::Method;

/// No path of the interface has more parts.
const NOUNS_MAX: usize = 6;

/// From what is shed first to what never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Looks at a waiting room's line; paths that there are not.
    Polls,
    /// Maps, availability, the catalogue, documents.
    Maps,
    /// New holds and orders, joining a waiting room, reads of one's own.
    Holds,
    /// What frees seats or places.
    Releases,
    /// Payments, and what operators do.
    Payments,
    /// Providers' notices, and whether the process is well.
    Vital,
}

impl Priority {
    /// Its label in metrics.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Polls => "polls",
            Self::Maps => "maps",
            Self::Holds => "holds",
            Self::Releases => "releases",
            Self::Payments => "payments",
            Self::Vital => "vital",
        }
    }

    /// Of this many requests at work, how many there may be when one of this priority begins: a share of the
    /// limit, rounded down, and one at least.
    pub(super) fn room(self, limit: usize) -> usize {
        let percent = match self {
            Self::Polls => 50,
            Self::Maps => 60,
            Self::Holds => 80,
            Self::Releases => 95,
            Self::Payments => 100,
            Self::Vital => return usize::MAX,
        };
        (limit.saturating_mul(percent) / 100).max(1)
    }
}

/// A request as the limit sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) priority: Priority,
    /// Whether how long it takes tells how much there is to do. What is answered from memory does not, and
    /// would hide the rest by its number; nor does what takes its time by nature.
    pub(super) is_decision: bool,
}

impl Class {
    pub(super) fn unmeasured(priority: Priority) -> Self {
        Self { priority, is_decision: false }
    }

    fn decision(priority: Priority) -> Self {
        Self { priority, is_decision: true }
    }

    /// By the path alone: in front of the routers nobody knows yet which route it is.
    pub(super) fn of(method: &Method, path: &str) -> Self {
        let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
        let mut nouns = [""; NOUNS_MAX];
        let mut count = 0;
        for noun in path.strip_prefix('/').unwrap_or(path).split('/') {
            let Some(place) = nouns.get_mut(count) else {
                return Self::unmeasured(Priority::Polls);
            };
            *place = noun;
            count += 1;
        }
        match (method, &nouns[..count]) {
            ("GET", ["healthz" | "readyz"]) | ("POST", ["payments", "webhooks", _]) => {
                Self::unmeasured(Priority::Vital)
            }
            ("POST", ["orders", _, "payments"]) => Self::decision(Priority::Payments),
            (
                _,
                [
                    "admin",
                    "venues" | "events" | "orders" | "outbox" | "purchases" | "reconciliation"
                    | "actions" | "tickets",
                    ..,
                ],
            ) => Self::unmeasured(Priority::Payments),
            (
                "DELETE",
                ["holds" | "orders", _] | ["holds", _, "items"] | ["events", _, "queue"],
            ) => Self::decision(Priority::Releases),
            ("POST", ["holds" | "orders"] | ["events", _, "queue"])
            | (
                "GET",
                ["holds", _]
                | ["events", _, "holds"]
                | ["orders"]
                | ["orders", _]
                | ["orders", _, "tickets"],
            ) => Self::decision(Priority::Holds),
            // Setting paper takes its time.
            ("GET", ["orders", _, "tickets.pdf"]) => Self::unmeasured(Priority::Holds),
            (
                "GET",
                [""]
                | ["openapi.json"]
                | ["problems", _]
                | [".well-known", "taquilla-ticket-keys.json"]
                | ["events"]
                | ["events", _]
                | ["events", _, "seatmap" | "availability"]
                | ["events", _, "availability", "stream"]
                | ["events", _, "queue", "proof"],
            ) => Self::unmeasured(Priority::Maps),
            _ => Self::unmeasured(Priority::Polls),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    /// Every operation of the interface that has this priority.
    fn operations(priority: Priority) -> Vec<String> {
        let document = serde_json::to_value(routes::document()).expect("a document");
        let paths = document["paths"].as_object().expect("paths");
        let operations = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("operations").keys();
            methods.map(move |method| (method.to_uppercase(), path.clone()))
        });
        let of = |(method, path): &(String, String)| {
            let method: Method = method.parse().expect("a method");
            Class::of(&method, path).priority == priority
        };
        operations.filter(of).map(|(method, path)| format!("{method} {path}")).collect()
    }

    #[test]
    fn only_looks_at_a_line_are_the_first_to_go_whatever_operation_is_added() {
        let mut polls = operations(Priority::Polls);
        polls.sort();
        assert_eq!(
            polls,
            [
                "GET /events/{event_id}/queue",
                "GET /events/{event_id}/queue/now-serving",
                "GET /events/{event_id}/queue/stream",
            ]
        );
    }

    #[test]
    fn only_notices_and_health_are_never_shed() {
        let mut vital = operations(Priority::Vital);
        vital.sort();
        assert_eq!(vital, ["GET /healthz", "GET /readyz", "POST /payments/webhooks/{provider}"]);
    }

    #[test]
    fn what_there_is_not_is_the_first_to_go() {
        let of = |method, path| Class::of(&method, path).priority;
        for nowhere in [
            "/nowhere",
            "/admin",
            "/admin/",
            "/admin/nowhere",
            "//healthz",
            "/a/b/c/d/e/f/g",
            "*",
            "",
        ] {
            let expected = if nowhere.is_empty() { Priority::Maps } else { Priority::Polls };
            assert_eq!(of(Method::GET, nowhere), expected, "{nowhere}");
        }
        assert_eq!(of(Method::PUT, "/holds"), Priority::Polls);
        assert_eq!(of(Method::GET, "/payments/webhooks/stripe"), Priority::Polls);
        assert_eq!(of(Method::GET, "/admin/orders"), Priority::Payments);
        assert_eq!(of(Method::HEAD, "/events"), Priority::Maps);
    }

    #[test]
    fn each_priority_has_room_when_those_before_it_have_none() {
        use Priority::{Holds, Maps, Payments, Polls, Releases, Vital};
        let rooms = |limit| {
            [Polls, Maps, Holds, Releases, Payments, Vital].map(|priority| priority.room(limit))
        };
        assert_eq!(rooms(1_000), [500, 600, 800, 950, 1_000, usize::MAX]);
        assert_eq!(rooms(1), [1, 1, 1, 1, 1, usize::MAX]);
    }
}
