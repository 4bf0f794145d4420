//! The one file that reads the wall clock. Everything else is told the time, or asks
//! [`DatabaseClock`](crate::database_clock::DatabaseClock), which is built on this one.

use std::time::{SystemTime, UNIX_EPOCH};

use taquilla_engine::moment::Moment;

/// This machine's time; the epoch for a machine that thinks it is before 1970. For what no database
/// is asked about, such as a token made on the command line.
#[must_use]
pub fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
