//! The database's clock, carried here as an offset to this machine's ([`wall_clock`]).
//!
//! Each commit brings the database's time, and where there are none, or none is quick, a plain read does,
//! every few seconds. A slow round trip says too little about when that was, so it moves nothing; one
//! in which the machine slept or its clock was set moves nothing either.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use taquilla_engine::clock::Clock;
use taquilla_engine::moment::Moment;
use tokio::time::MissedTickBehavior;
use tokio_util::task::AbortOnDropHandle;

use crate::database::{Database, DatabaseError};
use crate::pool::Pool;
use crate::stamp::Stamp;
use crate::wall_clock;

/// The offset is wrong by at most half of this, far below the two seconds that a batch may be off.
const ROUND_TRIP_MAX: Duration = Duration::from_millis(50);

/// What a reading puts back is less than this: by so much time stands still rather than go back. A machine's clock
/// that was set wrongly meanwhile is put back at once.
const STANDS_STILL_MAX: Duration = Duration::from_secs(1);

/// So soon a machine's clock that was set is right again: well before most holds could end of it.
const REFRESHED_EVERY: Duration = Duration::from_secs(5);

/// A reading that takes longer would not be trusted; connecting may take so long.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Of a start's readings one is nearly always quick; a link where none is cannot keep time.
const READINGS_MAX: usize = 20;

const CLOCK: &str = "/* read_clock */ SELECT clock_timestamp()";

/// Why the database's time is not known.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// It could not be read.
    #[error("cannot read the database's clock")]
    Read(#[from] DatabaseError),
    /// No round trip was quick enough to be trusted.
    #[error("no round trip to the database within {ROUND_TRIP_MAX:?}")]
    TooSlow,
}

/// The database's time as well as this process knows it. It is kept up until this is dropped.
#[derive(Debug)]
pub struct DatabaseClock {
    offset: Arc<Offset>,
    latest: Latest,
    _kept_up: AbortOnDropHandle<()>,
}

/// Microseconds to add to this machine's clock.
#[derive(Debug, Default)]
struct Offset(AtomicI64);

/// The latest time that was told.
#[derive(Debug, Default)]
struct Latest(AtomicI64);

/// When something was sent whose answer will bring the database's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    local: i64,
    at: Instant,
}

impl DatabaseClock {
    /// Reads the database's clock for the first time, and goes on reading it.
    ///
    /// # Errors
    /// [`ClockError`]; without a trusted reading there is no clock.
    pub async fn connect(pool: &Pool) -> Result<Self, ClockError> {
        let database = Database::bounded_by(pool.clone(), ANSWER_MAX);
        let offset = Arc::new(Offset::default());
        offset.refresh(&database).await?;
        let kept_up = tokio::spawn(keep_up(Arc::clone(&offset), database, REFRESHED_EVERY));
        let latest = Latest::default();
        Ok(Self { offset, latest, _kept_up: AbortOnDropHandle::new(kept_up) })
    }

    /// The answer to what was sent has come, and said what time the database had. Whether that was
    /// trusted.
    pub(crate) fn answered(&self, sent: Sent, database: Moment) -> bool {
        self.offset.answered(sent, database)
    }
}

/// Reads the clock until nobody wants to know any more. A database that does not answer leaves the offset
/// as it was.
async fn keep_up(offset: Arc<Offset>, database: Database, every: Duration) {
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first is at once, and the clock has just been read.
    turns.tick().await;
    loop {
        turns.tick().await;
        if let Err(error) = offset.refresh(&database).await {
            tracing::debug!(error = %error, "the database's clock was not read");
        }
    }
}

impl Offset {
    /// Reads the database's clock, a few times if the network is slow.
    async fn refresh(&self, database: &Database) -> Result<(), ClockError> {
        for _ in 0..READINGS_MAX {
            let trusted = database.read("read_clock", async |client| {
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

    fn answered(&self, sent: Sent, database: Moment) -> bool {
        let now = wall_clock::now().0;
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
            self.0.store(database.0.saturating_add(half - now), Ordering::Relaxed);
        }
        trusted
    }
}

impl Sent {
    pub(crate) fn now() -> Self {
        Self { local: wall_clock::now().0, at: Instant::now() }
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Moment {
        let now = wall_clock::now().0.saturating_add(self.offset.0.load(Ordering::Relaxed));
        Moment(self.latest.not_back(now))
    }
}

impl Latest {
    fn not_back(&self, now: i64) -> i64 {
        let latest = self.0.fetch_max(now, Ordering::Relaxed);
        let back = Duration::from_micros(u64::try_from(latest.saturating_sub(now)).unwrap_or(0));
        if back < STANDS_STILL_MAX {
            return latest.max(now);
        }
        self.0.store(now, Ordering::Relaxed);
        now
    }
}

/// A monotonic clock may stand still while the machine sleeps, and the wall clock may be set: only
/// what both call quick is.
fn is_quick(round_trip: Duration, by_wall_micros: Option<i64>) -> bool {
    let by_wall = by_wall_micros.and_then(|micros| u64::try_from(micros).ok());
    let by_wall = by_wall.map(Duration::from_micros);
    round_trip < ROUND_TRIP_MAX && by_wall.is_some_and(|it| it < ROUND_TRIP_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_postgres::scratch;

    const QUICK: Duration = Duration::from_millis(2);

    #[test]
    fn time_stands_still_rather_than_go_back_unless_it_was_set_wrongly() {
        let latest = Latest::default();
        for (now, told) in [
            (10_000_000, 10_000_000),
            (9_980_000, 10_000_000),
            (10_000_001, 10_000_001),
            (3_610_000_000, 3_610_000_000),
            (11_000_000, 11_000_000),
            (10_999_999, 11_000_000),
        ] {
            assert_eq!(latest.not_back(now), told);
        }
    }

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
        let offset = Offset::default();
        assert!(offset.settle(QUICK, Some(2_000), 10_000, Moment(50_000)));
        assert_eq!(offset.0.load(Ordering::Relaxed), 50_000 + 1_000 - 10_000);
        assert!(!offset.settle(ROUND_TRIP_MAX, Some(50_000), 60_000, Moment(0)));
        assert_eq!(offset.0.load(Ordering::Relaxed), 41_000);
    }

    /// Here both clocks are one machine's: whatever the offset is, it should be nothing.
    #[tokio::test]
    async fn an_offset_that_is_an_hour_wrong_is_put_right_without_any_commit() {
        let settings = scratch::shared().await.settings("postgres");
        let database = Database::new(Pool::new(&settings).expect("our own URL"), &settings);
        let offset = Arc::new(Offset(AtomicI64::new(3_600_000_000)));
        let every = Duration::from_millis(10);
        let kept_up = tokio::spawn(keep_up(Arc::clone(&offset), database, every));
        let _kept_up = AbortOnDropHandle::new(kept_up);
        let put_right = async {
            while offset.0.load(Ordering::Relaxed).abs() > 1_000_000 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), put_right).await.expect("a quick reading");
    }
}
