//! The names of this crate's metrics, in one place. Labels are bounded: names in the code, codes.

use std::time::Duration;

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Tells the installed recorder what this crate's metrics are. Once, at the start.
pub fn describe_metrics() {
    describe_histogram!(
        "taquilla_transaction_seconds",
        Unit::Seconds,
        "Transactions by name and outcome, retries included"
    );
    describe_histogram!(
        "taquilla_read_seconds",
        Unit::Seconds,
        "Single reads by name and outcome, the wait for a connection included"
    );
    describe_gauge!(
        "taquilla_pool_connections_in_use",
        "Connections of the pool that are lent at the moment"
    );
    describe_counter!(
        "taquilla_transaction_retries_total",
        "Transactions run again after losing against another"
    );
    describe_counter!(
        "taquilla_writer_connects_total",
        "Lane connections opened, or not, by outcome"
    );
    describe_counter!(
        "taquilla_writer_discards_total",
        "Lane connections given up: closed by the server, or their last outcome unknown"
    );
    describe_histogram!(
        "taquilla_writer_wait_seconds",
        Unit::Seconds,
        "Waits of batches for a lane connection, by outcome"
    );
}

/// A transaction by its name, retries included. `outcome` is `committed`, `rolled_back`, `unknown`,
/// `not_started`, or `timed_out` for one that was given up on the way.
pub(crate) fn transaction_finished(name: &'static str, outcome: &'static str, took: Duration) {
    metrics::histogram!("taquilla_transaction_seconds", "name" => name, "outcome" => outcome)
        .record(took);
}

/// A single read by its name. `outcome` is `done`, `failed`, `no_connection` or `timed_out`.
pub(crate) fn read_finished(name: &'static str, outcome: &'static str, took: Duration) {
    metrics::histogram!("taquilla_read_seconds", "name" => name, "outcome" => outcome).record(took);
}

/// So many connections of the pool were lent, or, below zero, came back.
pub(crate) fn pooled_connections_lent(more: f64) {
    metrics::gauge!("taquilla_pool_connections_in_use").increment(more);
}

/// One more attempt after a conflict.
pub(crate) fn transaction_retried(name: &'static str) {
    metrics::counter!("taquilla_transaction_retries_total", "name" => name).increment(1);
}

/// A lane's connection was opened, or could not be.
pub(crate) fn writer_opened(succeeded: bool) {
    let outcome = if succeeded { "opened" } else { "failed" };
    metrics::counter!("taquilla_writer_connects_total", "outcome" => outcome).increment(1);
}

/// A lane's connection was given up: its last outcome is unknown, or the server closed it.
pub(crate) fn writer_discarded() {
    metrics::counter!("taquilla_writer_discards_total").increment(1);
}

/// A batch waited so long for a lane's connection. `outcome` is `lent` or `failed`.
pub(crate) fn writer_borrowed(succeeded: bool, took: Duration) {
    let outcome = if succeeded { "lent" } else { "failed" };
    metrics::histogram!("taquilla_writer_wait_seconds", "outcome" => outcome).record(took);
}
