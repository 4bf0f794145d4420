//! What Prometheus is told of reconciliation.

use metrics::{counter, describe_counter, describe_gauge, gauge};
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::reconciliation::{DifferenceKind, Reconciliation};

/// Tells the recorder what each metric means. Once, at the start.
pub fn describe_metrics() {
    describe_counter!("taquilla_reconciliation_runs_total", "reconciliations, by their verdict");
    describe_gauge!(
        "taquilla_reconciliation_differences",
        "differences that this process's last reconciliation found, by kind"
    );
    describe_gauge!(
        "taquilla_reconciliation_unsafe_differences",
        "of these, differences that could mean that money is wrong"
    );
    describe_gauge!(
        "taquilla_reconciliation_payments_closed",
        "1 while a reconciliation keeps new payments closed, whoever made it"
    );
    describe_gauge!(
        "taquilla_reconciliation_last_timestamp_seconds",
        "when this process last made a reconciliation"
    );
}

/// A run has ended. Labels: its verdict, or `failed`.
pub(super) fn run(verdict: &'static str) {
    counter!("taquilla_reconciliation_runs_total", "verdict" => verdict).increment(1);
}

/// What it found.
pub(super) fn found(found: &Reconciliation, at: Moment) {
    for kind in DifferenceKind::ALL {
        let count = found.counts.get(&kind).copied().unwrap_or_default();
        gauge!("taquilla_reconciliation_differences", "kind" => kind.code()).set(count as f64);
    }
    gauge!("taquilla_reconciliation_unsafe_differences").set(found.unsafe_count as f64);
    gauge!("taquilla_reconciliation_last_timestamp_seconds").set(at.0 as f64 / 1e6);
}

/// Whether new payments are closed at the moment.
pub(super) fn payments_closed(closed: bool) {
    gauge!("taquilla_reconciliation_payments_closed").set(f64::from(u8::from(closed)));
}
