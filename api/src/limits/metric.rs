//! The metrics of limits.

use metrics::{counter, describe_counter};

/// Tells the recorder what each metric means. Once, at the start.
pub fn describe_metrics() {
    describe_counter!("taquilla_requests_limited_total", "requests answered too-many-requests");
    describe_counter!(
        "taquilla_requests_unlimited_total",
        "requests let through because no more callers can be remembered"
    );
}

/// A request was one too many.
pub(super) fn limited(by: &'static str) {
    counter!("taquilla_requests_limited_total", "by" => by).increment(1);
}

/// A request was let through uncounted.
pub(super) fn unlimited(by: &'static str) {
    counter!("taquilla_requests_unlimited_total", "by" => by).increment(1);
}
