//! Once more, after a pause, for work that may be repeated.

use std::time::Duration;

use crate::database::DatabaseError;

/// A failover lasts longer than any number of tries that a caller would wait for.
const TRIES_MAX: u32 = 3;
/// Doubled each time; the actual pause is anything below.
const PAUSE_BASE: Duration = Duration::from_millis(50);

/// Runs `work` until it succeeds, fails for good, or has failed `TRIES_MAX` times. Only passing
/// failures that `may_repeat` allows are tried again. Each run is bounded by the database's own
/// deadline.
pub(super) async fn passing<T, W>(
    may_repeat: impl Fn(&DatabaseError) -> bool,
    work: impl Fn() -> W,
) -> Result<T, DatabaseError>
where
    W: Future<Output = Result<T, DatabaseError>>,
{
    let mut tried = 1;
    loop {
        match work().await {
            Err(error) if tried < TRIES_MAX && error.is_passing() && may_repeat(&error) => {
                tracing::debug!(error = %error, tried, "trying again");
                let pause = PAUSE_BASE * 2_u32.pow(tried);
                tokio::time::sleep(pause.mul_f64(rand::random::<f64>())).await;
                tried += 1;
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::pool::{PoolError, ReadError};

    fn passing_failure() -> DatabaseError {
        DatabaseError::Read(ReadError::Pool(PoolError::TimedOut))
    }

    /// How often work is run that fails so many times.
    async fn runs(fails: u32, failure: fn() -> DatabaseError, may_repeat: bool) -> (u32, bool) {
        let runs = Cell::new(0);
        let result = passing(
            |_| may_repeat,
            async || {
                runs.set(runs.get() + 1);
                if runs.get() <= fails { Err(failure()) } else { Ok(()) }
            },
        );
        let succeeded = result.await.is_ok();
        (runs.get(), succeeded)
    }

    #[tokio::test]
    async fn only_a_passing_failure_that_may_be_repeated_is_and_three_times_at_most() {
        assert_eq!(runs(0, passing_failure, true).await, (1, true));
        assert_eq!(runs(2, passing_failure, true).await, (3, true));
        assert_eq!(runs(9, passing_failure, true).await, (TRIES_MAX, false));
        assert_eq!(runs(9, passing_failure, false).await, (1, false));
        let used_up = || DatabaseError::TimedOut(Duration::ZERO);
        assert_eq!(runs(9, used_up, true).await, (1, false));
    }
}
