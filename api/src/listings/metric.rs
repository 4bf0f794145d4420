//! The metric of listings.

use metrics::{Unit, describe_gauge, gauge};
use taquilla_engine::moment::Moment;

/// Tells the recorder what it means. Once, at the start.
pub fn describe_metrics() {
    describe_gauge!(
        "taquilla_catalogue_age_seconds",
        Unit::Seconds,
        "how long ago lists of events were known to be so"
    );
}

/// Lists are as of then, and it is now.
pub(super) fn aged(as_of: Moment, now: Moment) {
    // Exact for centuries.
    gauge!("taquilla_catalogue_age_seconds").set(now.0.saturating_sub(as_of.0).max(0) as f64 / 1e6);
}
