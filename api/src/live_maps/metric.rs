//! The metrics of maps.

use std::time::Duration;

use metrics::{describe_histogram, histogram};

/// Tells the recorder what each metric means. Once, at the start.
pub fn describe_metrics() {
    describe_histogram!(
        "taquilla_map_lag_seconds",
        metrics::Unit::Seconds,
        "from a change's commit until a follower is sent it"
    );
}

/// A follower is sent what was durable so long ago.
pub(crate) fn sent(lag: Duration) {
    histogram!("taquilla_map_lag_seconds").record(lag);
}
