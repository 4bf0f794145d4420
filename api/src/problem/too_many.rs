//! Too much within a time, with the fields that say how much it may be.

use std::time::Duration;

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderName, HeaderValue};

use super::{Problem, table};

/// What is left of a policy, as draft-ietf-httpapi-ratelimit-headers-11 has it.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The policy itself.
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// One too many, and what the caller is to know. Lengths are told in whole seconds, rounded up, and at least one.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMany {
    /// What is counted: the policy's name, which is ASCII and has no quotes.
    pub by: &'static str,
    /// So many ...
    pub quota: u32,
    /// ... within this are always taken.
    pub window: Duration,
    /// After it there is room for one.
    pub wait: Duration,
}

impl TooMany {
    /// The answer. `detail` says of what there are too many.
    #[must_use]
    pub fn problem(&self, detail: impl Into<String>) -> Problem {
        let Self { by, quota, window, wait } = self;
        let (window, wait) = (whole_seconds(*window), whole_seconds(*wait));
        let text =
            |text: String| HeaderValue::from_str(&text).expect("a name and numbers are ASCII");
        Problem::new(&table::TOO_MANY_REQUESTS, detail)
            .with_header(RETRY_AFTER, wait.into())
            .with_header(RATE_LIMIT, text(format!("\"{by}\";r=0;t={wait}")))
            .with_header(RATE_LIMIT_POLICY, text(format!("\"{by}\";q={quota};w={window}")))
    }
}

/// The buyer has dropped `quota` holds or more within `window`; after `wait` he may have one.
pub(super) fn holds_dropped(quota: u32, window: Duration, wait: Duration) -> Problem {
    let detail = "too many holds were let go of late without being bought; nothing was taken";
    TooMany { by: "dropped-holds", quota, window, wait }.problem(detail)
}

/// Rounded up, and at least one.
fn whole_seconds(length: Duration) -> u64 {
    let begun = u64::from(length.subsec_nanos() > 0);
    length.as_secs().saturating_add(begun).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_to_come_before_there_is_room() {
        let table = [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (4_500, 5)];
        for (millis, seconds) in table {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        }
    }
}
