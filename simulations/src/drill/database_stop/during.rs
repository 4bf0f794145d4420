//! The answers of an outage: how long each took, and whether it says something.

use std::time::Duration;

use chrono::{DateTime, Utc};
use taquilla_auditor::Recorded;

use crate::client::Answer;

/// From the first sign of an outage to its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) from: DateTime<Utc>,
    pub(super) to: DateTime<Utc>,
}

/// The server's `decision_deadline_ms`, and a second for a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(3 + 1);

/// The longest wait of a request that was under way during an outage.
pub(super) fn longest(recorded: &[Recorded], stretches: &[Stretch]) -> Duration {
    during(recorded, stretches).map(waited).max().unwrap_or_default()
}

/// How many of these were answered too late, or with nothing that a buyer can act on, and the first.
pub(super) fn late_or_unclear(recorded: &[Recorded], stretches: &[Stretch]) -> Option<String> {
    let is_bad = |record: &&Recorded| waited(record) > ANSWER_MAX || !is_clear(record);
    let bad: Vec<_> = during(recorded, stretches).filter(is_bad).collect();
    let count = bad.len();
    let bad = bad.first()?;
    Some(format!(
        "{count} late or unclear answers; {} {} at {} was answered after {} ms: {:?} {}",
        bad.method,
        bad.path,
        bad.at_start,
        waited(bad).as_millis(),
        bad.status,
        bad.answer
    ))
}

fn during<'a>(
    recorded: &'a [Recorded],
    stretches: &'a [Stretch],
) -> impl Iterator<Item = &'a Recorded> {
    recorded.iter().filter(move |record| {
        stretches.iter().any(|it| record.at_start <= it.to && record.at_end >= it.from)
    })
}

/// A long poll is waited for longer, by as much as it asked for.
fn waited(record: &Recorded) -> Duration {
    let asked = record.path.split_once("wait_seconds=").and_then(|(_, rest)| rest.parse().ok());
    let asked = Duration::from_secs(asked.unwrap_or(0));
    let whole = (record.at_end - record.at_start).to_std().unwrap_or_default();
    whole.saturating_sub(asked)
}

/// A result, or one of the three ways to say that there is none. `overloaded` is the third: what
/// is shed decided nothing.
fn is_clear(record: &Recorded) -> bool {
    let answer = Answer { status: record.status, body: record.answer.clone() };
    answer.is_decided()
        || matches!(
            answer.slug(),
            Some("purchases-paused" | "outcome-unknown" | "overloaded" | "idempotency-key-in-use")
        )
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use serde_json::json;
    use taquilla_auditor::Recorded;

    use super::{Stretch, late_or_unclear};

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn answered(path: &str, seconds: i64, status: u16, slug: &str) -> Recorded {
        Recorded {
            at_start: at(10),
            at_end: at(10 + seconds),
            buyer: "ann".into(),
            method: "POST".into(),
            path: path.into(),
            key: None,
            request: json!(null),
            status: Some(status),
            answer: json!({"type": format!("/problems/{slug}")}),
        }
    }

    #[test]
    fn late_and_unclear_answers_are_found() {
        let bad =
            |record| late_or_unclear(&[record], &[Stretch { from: at(11), to: at(20) }]).is_some();
        assert!(!bad(answered("/holds", 3, 503, "outcome-unknown")));
        assert!(!bad(answered("/holds", 3, 201, "")));
        assert!(!bad(answered("/orders/1?wait_seconds=2", 6, 200, "")));
        assert!(bad(answered("/holds", 5, 201, "")));
        assert!(bad(answered("/holds", 1, 500, "internal-error")));
        assert!(bad(answered("/holds", 1, 503, "somewhere")));
        assert!(bad(Recorded { status: None, ..answered("/holds", 1, 200, "") }));
        assert!(!bad(answered("/holds", 0, 500, "internal-error")), "before the outage");
    }
}
