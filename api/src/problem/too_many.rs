//! Too much within a time, with the fields that say how much it may be.

use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;

use super::{Problem, table};
use crate::limits::{RATE_LIMIT, RATE_LIMIT_POLICY};

/// The buyer has dropped `quota` holds or more within `window`; after `wait` he may have one.
pub(super) fn holds_dropped(quota: u32, window: Duration, wait: Duration) -> Problem {
    let (window, wait) = (whole_seconds(window), whole_seconds(wait));
    let text = |text: String| HeaderValue::from_str(&text).expect("a name and numbers are ASCII");
    let detail = "too many holds were let go of late without being bought; nothing was taken";
    Problem::new(&table::TOO_MANY_REQUESTS, detail)
        .with_header(RETRY_AFTER, wait.into())
        .with_header(RATE_LIMIT, text(format!("\"dropped-holds\";r=0;t={wait}")))
        .with_header(RATE_LIMIT_POLICY, text(format!("\"dropped-holds\";q={quota};w={window}")))
}

/// Rounded up, and at least one.
fn whole_seconds(length: Duration) -> u64 {
    let begun = u64::from(length.subsec_nanos() > 0);
    length.as_secs().saturating_add(begun).max(1)
}

/// The buyer has joined a line as often as one buyer may. A day later the sale is another one, mostly.
#[must_use]
pub fn places_used_up() -> Problem {
    let text = HeaderValue::from_static;
    let detail = "this buyer has given up or lost as many places in this line as one may";
    Problem::new(&table::TOO_MANY_REQUESTS, detail)
        .with_header(RETRY_AFTER, 86_400.into())
        .with_header(RATE_LIMIT, text("\"places\";r=0;t=86400"))
        .with_header(RATE_LIMIT_POLICY, text("\"places\";q=21;w=86400"))
}
