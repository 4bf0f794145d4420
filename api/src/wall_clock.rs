//! The one file of the edge that reads the wall clock, for what no database is asked about: tokens
//! made on the command line, the demo's dates.

use chrono::{DateTime, Utc};
use taquilla_engine::moment::Moment;

/// The present, by this machine.
#[must_use]
pub fn now() -> DateTime<Utc> {
    Utc::now()
}

/// The same as the engine counts it.
#[must_use]
pub fn moment() -> Moment {
    Moment(now().timestamp_micros())
}
