//! The metrics of shedding.

use metrics::{counter, describe_counter, describe_gauge, gauge};

use super::Priority;

/// Tells the recorder what each metric means. Once, at the start.
pub fn describe_metrics() {
    describe_counter!("taquilla_shed_total", "requests turned away before any work, by priority");
    describe_gauge!("taquilla_requests_at_work", "requests that are at work");
    describe_gauge!("taquilla_concurrency_limit", "requests that may be at work");
}

/// A request was turned away.
pub(super) fn shed(priority: Priority) {
    counter!("taquilla_shed_total", "priority" => priority.code()).increment(1);
}

/// A window is over.
pub(super) fn measured(at_work: usize, limit: usize) {
    // Exact far beyond what a process may have open.
    gauge!("taquilla_requests_at_work").set(at_work as f64);
    gauge!("taquilla_concurrency_limit").set(limit as f64);
}
