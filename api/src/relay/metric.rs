//! What Prometheus is told of sinks.

use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, describe_counter, describe_gauge, gauge};
use taquilla_persistence::in_full;
use taquilla_persistence::relay::RelayRows;
use tokio::time::sleep;

use super::SinkError;

/// A minute's alert sees several.
const EVERY: Duration = Duration::from_secs(10);

/// Tells the recorder what each metric means. Once, at the start.
pub fn describe_metrics() {
    describe_counter!(
        "taquilla_relay_messages_total",
        "messages that a sink took, or that were parked"
    );
    describe_counter!("taquilla_relay_failures_total", "times that a sink took nothing, by why");
    describe_gauge!("taquilla_relay_behind", "batches or rows that a sink has not been told yet");
    describe_gauge!("taquilla_relay_lag_seconds", "the age of the oldest of them");
}

/// So many were handed over, with this result. Until its position stands they may be handed over again.
pub(super) fn published(sink: &Arc<str>, messages: usize, result: &Result<(), SinkError>) {
    let reason = match result {
        Ok(()) => {
            let sink = Arc::clone(sink);
            counter!("taquilla_relay_messages_total", "sink" => sink, "outcome" => "published")
                .increment(messages as u64);
            return;
        }
        Err(SinkError::OutOfTime) => "out_of_time",
        Err(SinkError::Log(_)) => "log",
        Err(SinkError::Away(_)) => "away",
        Err(SinkError::Refused { .. }) => "refused",
    };
    failed(sink, reason);
}

/// Something was not told, for this reason.
pub(super) fn failed(sink: &Arc<str>, reason: &'static str) {
    let sink = Arc::clone(sink);
    counter!("taquilla_relay_failures_total", "sink" => sink, "reason" => reason).increment(1);
}

/// One is not told any more.
pub(super) fn parked(sink: &str) {
    let sink = sink.to_owned();
    counter!("taquilla_relay_messages_total", "sink" => sink, "outcome" => "parked").increment(1);
}

/// For ever. By rows, so every process that is asked says the same.
pub(super) async fn keep_measuring(sink: Arc<str>, rows: RelayRows) {
    loop {
        match rows.lag().await {
            Ok([events, money]) => {
                for (stream, lag) in [("events", events), ("money", money)] {
                    let sink = Arc::clone(&sink);
                    gauge!("taquilla_relay_behind", "sink" => Arc::clone(&sink), "stream" => stream)
                        .set(lag.behind as f64);
                    gauge!("taquilla_relay_lag_seconds", "sink" => sink, "stream" => stream)
                        .set(lag.age.as_secs_f64());
                }
            }
            Err(error) => {
                // A figure that stands still would hide it.
                for stream in ["events", "money"] {
                    gauge!("taquilla_relay_lag_seconds", "sink" => Arc::clone(&sink), "stream" => stream)
                        .set(f64::NAN);
                }
                let (sink, error) = (&*sink, in_full(&error));
                tracing::warn!(sink, error, "how far a sink is behind is not known");
            }
        }
        sleep(EVERY).await;
    }
}
