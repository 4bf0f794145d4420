//! The database's clock, carried here as an offset to this machine's: the one file of the crate that
//! reads a wall clock.
//!
//! Each commit brings the database's time. A slow round trip says too little about when that was,
//! so it moves nothing; one in which the machine slept or its clock was set moves nothing either.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use taquilla_engine::clock::Clock;
use taquilla_engine::moment::Moment;

use crate::pool::{Pool, ReadError};
use crate::stamp::Stamp;

/// The offset is wrong by at most half of this, far below the two seconds that a batch may be off.
const ROUND_TRIP_MAX: Duration = Duration::from_millis(50);

/// Of a start's readings one is nearly always quick; a link where none is cannot keep time.
const READINGS_MAX: usize = 10;

const CLOCK: &str = "/* read_clock */ SELECT clock_timestamp()";

/// Why the database's time is not known.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// It could not be read.
    #[error("cannot read the database's clock")]
    Read(#[from] ReadError),
    /// No round trip was quick enough to be trusted.
    #[error("no round trip to the database within {ROUND_TRIP_MAX:?}")]
    TooSlow,
}

/// The database's time as well as this process knows it.
#[derive(Debug)]
pub struct DatabaseClock {
    /// Microseconds to add to this machine's clock.
    offset: AtomicI64,
}

/// When something was sent whose answer will bring the database's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    local: i64,
    at: Instant,
}

impl DatabaseClock {
    /// Reads the database's clock for the first time.
    ///
    /// # Errors
    /// [`ClockError`]; without a trusted reading there is no clock.
    pub async fn connect(pool: &Pool) -> Result<Self, ClockError> {
        let clock = Self { offset: AtomicI64::new(0) };
        clock.refresh(pool).await?;
        Ok(clock)
    }

    /// Reads the database's clock again, a few times if the network is slow.
    ///
    /// # Errors
    /// [`ClockError`]; the offset is then what it was.
    pub async fn refresh(&self, pool: &Pool) -> Result<(), ClockError> {
        for _ in 0..READINGS_MAX {
            let trusted = pool.read(async |client| {
                let sent = Sent::now();
                let row = client.query_one(CLOCK, &[]).await?;
                Ok(self.answered(sent, row.try_get::<_, Stamp>(0)?.0))
            });
            if trusted.await? {
                return Ok(());
            }
        }
        Err(ClockError::TooSlow)
    }

    /// The answer to what was sent has come, and said what time the database had. Whether that was
    /// trusted.
    pub(crate) fn answered(&self, sent: Sent, database: Moment) -> bool {
        let now = local();
        self.settle(sent.at.elapsed(), now.checked_sub(sent.local), now, database)
    }

    fn settle(
        &self,
        round_trip: Duration,
        by_wall: Option<i64>,
        now: i64,
        database: Moment,
    ) -> bool {
        let trusted = is_quick(round_trip, by_wall);
        if trusted {
            let half = i64::try_from(round_trip.as_micros()).expect("a quick one fits") / 2;
            self.offset.store(database.0.saturating_add(half - now), Ordering::Relaxed);
        }
        trusted
    }
}

impl Sent {
    pub(crate) fn now() -> Self {
        Self { local: local(), at: Instant::now() }
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Moment {
        Moment(local().saturating_add(self.offset.load(Ordering::Relaxed)))
    }
}

/// A monotonic clock may stand still while the machine sleeps, and the wall clock may be set: only
/// what both call quick is.
fn is_quick(round_trip: Duration, by_wall_micros: Option<i64>) -> bool {
    let by_wall = by_wall_micros.and_then(|micros| u64::try_from(micros).ok());
    let by_wall = by_wall.map(Duration::from_micros);
    round_trip < ROUND_TRIP_MAX && by_wall.is_some_and(|it| it < ROUND_TRIP_MAX)
}

/// Microseconds of this machine's clock; zero for a machine that thinks it is before 1970.
fn local() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_millis(2);

    #[test]
    fn only_what_both_clocks_call_quick_is_trusted() {
        assert!(is_quick(QUICK, Some(2_000)));
        assert!(!is_quick(ROUND_TRIP_MAX, Some(2_000)), "slow");
        assert!(!is_quick(QUICK, Some(3_600_000_000)), "the machine slept");
        assert!(!is_quick(QUICK, Some(-1)), "the clock was set back");
        assert!(!is_quick(QUICK, None));
    }

    #[test]
    fn a_trusted_answer_sets_the_clock_and_another_does_not() {
        let clock = DatabaseClock { offset: AtomicI64::new(0) };
        assert!(clock.settle(QUICK, Some(2_000), 10_000, Moment(50_000)));
        assert_eq!(clock.offset.load(Ordering::Relaxed), 50_000 + 1_000 - 10_000);
        assert!(!clock.settle(ROUND_TRIP_MAX, Some(50_000), 60_000, Moment(0)));
        assert_eq!(clock.offset.load(Ordering::Relaxed), 41_000);
    }
}
